// SPDX-License-Identifier: Apache-2.0
import CGtk
import MainLoop
import MainLoopTasks

/// A GTK window with a label that a task updates. GTK runs the loop; one call makes it serve tasks.
///
///     LiveLabel [SECONDS]     closes after that time
@main enum LiveLabel {
  static func main() {
    gtk_init(nil, nil)
    MainLoop.main.serveTasks()

    let window = gtk_window_new(GTK_WINDOW_TOPLEVEL)
    let label = gtk_label_new("waiting")
    cgtk_add(window, label)
    cgtk_quit_when_closed(window)
    gtk_widget_show_all(window)

    let limit = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
    Task {
      for second in 1... {
        try await Task.sleep(for: .seconds(1))
        let text = "open for \(await spelled(second)) s"
        cgtk_set_text(label, text)
        print(text)
        if second == limit { gtk_widget_destroy(window) }
      }
    }
    gtk_main()
  }

  /// Runs on another thread.
  @concurrent nonisolated static func spelled(_ number: Int) async -> String { String(number) }
}
