// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

final class PlaceCommand: Command {
  static let name = "place"
  static let summary = tr("Add, list or remove named places, for geopublicist run")
  static let operands: String? = "add|list|remove [NAME]"

  static func operandWords(after operands: [String]) -> [String] {
    switch operands {
    case []: ["add", "list", "remove"]
    case ["remove"]: PlaceFile().names
    default: []
    }
  }

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("here", nil, tr("With add: use the current location of this computer"))
    parser.addText("at", nil, tr("With add: use these coordinates, such as 52.5,13.4"), value: "LAT,LON")
    parser.addSwitch("force", nil, tr("With add: replace an existing place"))
    parser.addSwitch("static", nil, tr("With add, as root: use the place as this computer's location in GeoClue"))
    parser.addText(
      "radius", nil, tr("With add: the radius of the place (default 150m, at least 50m)"), value: "METRES")
  }

  static let examples: Examples = [
    ("place add home --here --radius 150m", tr("Add the current place under the name home.")),
    (
      "place add desk --at 52.5,13.4 --static",
      tr("Write /etc/geolocation for GeoClue, on a computer that has no other source.")
    ),
    ("place list", tr("Show the places.")),
  ]

  private enum Action {
    case add(String, at: Location?, radius: Double)
    case list
    case remove(String)
  }

  let invocation: Invocation
  private let action: Action
  private let isStatic: Bool
  private let file = PlaceFile()

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let (parser, words) = (invocation.parser, invocation.operands)
    switch (words.first, words.count) {
    case ("list", 1): action = .list
    case ("remove", 2): action = .remove(words[1])
    case ("add", 2):
      guard Place.isName(words[1]) else {
        throw .init(tr("'\(words[1])' cannot name a place: use letters, digits, - and _ (sun is reserved)"))
      }
      let place = try parser.place("at")
      guard parser.isSet("here") != (place != nil) else { throw .init(tr("place add requires --here or --at LAT,LON")) }
      let radius = try parser.metres("radius") ?? 150
      guard CircularRegion.radii.contains(radius) else { throw .init(tr("--radius must be from 50m to 1000km")) }
      action = .add(words[1], at: place, radius: radius)
    default: throw .init(tr("place requires add NAME, list, or remove NAME"))
    }
    isStatic = parser.isSet("static")
    if isStatic, words.first != "add" { throw .init(tr("--static can be used only with place add")) }
  }

  func begin() {
    if isStatic, geteuid() != 0 { return failWithoutRoot() }
    if case .add(let name, _, _) = action, !isStatic, !invocation.parser.isSet("force"), file.names.contains(name) {
      return invocation.fail(tr("The place '\(name)' already exists; --force replaces it"))
    }
    switch action {
    case .list:
      invocation.attempt {
        show(try file.read())
        invocation.finish(ExitStatus.success)
      }
    case .remove(let name):
      invocation.attempt {
        let places = try file.read()
        let others = places.filter { $0.name != name }
        guard others.count < places.count else {
          return invocation.fail(tr("There is no place '\(name)'; see geopublicist place list"))
        }
        try file.write(others)
        invocation.finish(ExitStatus.success)
      }
    case .add(let name, let place?, let radius): add(name, place, radius)
    case .add(let name, nil, let radius):
      var options = ClientOptions()
      options.maximumAge = .zero
      invocation.connect()?.location(
        options, invocation.unlessFailed { [weak self] reading in self?.add(name, reading.location, radius) })
    }
  }

  private func add(_ name: String, _ location: Location, _ radius: Double) {
    if let accuracy = location.accuracy, accuracy > radius {
      return invocation.fail(
        tr("The location is only accurate to \(Number.short(accuracy, 0)) m; give a --radius of at least that"))
    }
    let place = Place(name: name, latitude: location.latitude, longitude: location.longitude, radius: radius)
    if isStatic { return write(StaticPlace(place: place, altitude: location.altitude)) }
    invocation.attempt {
      try file.write(try file.read().filter { $0.name != name } + [place])
      invocation.finish(ExitStatus.success)
    }
  }

  private func write(_ place: StaticPlace) {
    let path = DoctorFacts.StaticFile.path
    do throws(StaticPlace.Failure) {
      try place.write(
        to: path, replacing: invocation.parser.isSet("force"), owner: DoctorFacts.StaticFile.geoclueUser)
      invocation.finish(ExitStatus.success)
    } catch {
      switch error {
      case .exists: invocation.fail(tr("\(path) already exists; --force replaces it"))
      case .other(let reason): invocation.fail(tr("\(path) cannot be written: \(reason)"))
      }
    }
  }

  private func failWithoutRoot() {
    guard case .add(let name, let place, let radius) = action else { return }
    let source = place.map { "--at \($0.latitude),\($0.longitude)" } ?? "--here"
    let force = invocation.parser.isSet("force") ? " --force" : ""
    invocation.fail(
      tr(
        "Only root may write \(DoctorFacts.StaticFile.path); run: "
          + "sudo geopublicist place add \(name) \(source) --radius \(Number.short(radius, 0))m --static\(force)"),
      ExitStatus.notAuthorized)
  }

  private func show(_ places: [Place]) {
    let rows = places.map { place in
      [
        place.name, Number.short(place.latitude, LocationText.digits),
        Number.short(place.longitude, LocationText.digits), TrackSummary.text(metres: place.radius),
      ]
    }
    let table = Table(header: ["NAME", "LATITUDE", "LONGITUDE", "RADIUS"], rows: rows).lines(for: invocation.output)
    let isEmpty = places.isEmpty && invocation.output.isTerminal
    invocation.show(
      isEmpty ? [tr("There are no places; add one with: geopublicist place add NAME --here")] : table,
      orJSON: places.map { place in
        JSONText.object([
          ("Name", .string(place.name)), ("Latitude", .double(place.latitude)),
          ("Longitude", .double(place.longitude)), ("Radius", .double(place.radius)),
        ])
      })
  }
}
