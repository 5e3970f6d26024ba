import DBus
import GeopublicistLocationModel

/// `org.geopublicist.Location1.Subscription`.
extension LocationSubscription {
  static let interface = Interface<LocationSubscription>(
    ServiceNames.subscription,
    [
      .method("Start") { subscription, call in subscription.start(call) },
      .method("Stop") { subscription, call in
        subscription.stop()
        call.reply()
      },
      .method("Close") { subscription, call in
        call.reply()
        subscription.close(because: "by-consumer")
      },

      .signal("LocationUpdated", ["location": "a{sv}"]),
      .signal("AuthorizationChanged", ["status": "s", "reason": "s"]),
      .signal("ErrorOccurred", ["name": "s", "message": "s"]),
      .signal("Closed", ["reason": "s"]),

      .property(
        "AuthorizationStatus", "s", emits: .changed,
        readLater: { subscription, request in
          subscription.readAuthorization(request) { $0.status.rawValue }
        }),
      .property(
        "AuthorizationReason", "s", emits: .changed,
        readLater: { subscription, request in
          subscription.readAuthorization(request) { $0.reason.rawValue }
        }),
      .property("Active", "b", emits: .changed) { .boolean($0.isActive) },
      .property("Location", "a{sv}", emits: .nothing) { subscription in
        subscription.last.map { $0.fix.value(isReduced: $0.isReduced) } ?? .options([])
      },

      .property(
        "Accuracy", "s", emits: .changed,
        write: { subscription, value, call throws(DBusError) in
          let level = try OptionReader.level(value, of: "accuracy")
          subscription.update { $0.accuracy = level }
          subscription.changed("Accuracy")
          call.reply()
        }
      ) { .string($0.options.accuracy.contractName) },
      .property(
        "DistanceThreshold", "d", emits: .changed,
        write: { subscription, value, call throws(DBusError) in
          let metres = try OptionReader.metres(value, of: "distance-threshold")
          subscription.update { $0.distanceThreshold = metres }
          subscription.changed("DistanceThreshold")
          call.reply()
        }
      ) { .double($0.options.distanceThreshold) },
      .property(
        "TimeThreshold", "u", emits: .changed,
        write: { subscription, value, call in
          subscription.update { $0.timeThreshold = value.uint32 ?? $0.timeThreshold }
          subscription.changed("TimeThreshold")
          call.reply()
        }
      ) { .uint32($0.options.timeThreshold) },
      .property(
        "Debounce", "u", emits: .changed,
        write: { subscription, value, call in
          subscription.update { $0.debounce = value.uint32 ?? $0.debounce }
          subscription.changed("Debounce")
          call.reply()
        }
      ) { .uint32($0.options.debounce) },
    ])

  /// The row of `ListSubscriptions`, which never has a coordinate.
  var listEntry: Value {
    .options([
      ("Path", .objectPath(path)),
      ("Sender", .string(client.name.rawValue)),
      ("UserId", .uint32(client.credentials?.userID ?? .max)),
      ("ProcessId", .uint32(client.credentials?.processID ?? 0)),
      ("DesktopId", .string(options.desktopID)),
      ("Level", .string(level.contractName)),
      ("Active", .boolean(isActive)),
      ("Since", LocationDictionary.value(since)),
      ("Delivered", .uint64(delivered)),
    ])
  }
}
