/// The files in `Themes/`, which the package manager puts into the program, so that it finds them wherever it is.
///
/// `Sources/Screen/Themes` is a link to the folder. A test compares this table with it.
enum BundledThemes {
  /// In the order in which the key goes through them.
  static let files: [(name: String, bytes: [UInt8])] = [
    ("night", PackageResources.night_theme),
    ("fjord", PackageResources.fjord_theme),
    ("solar-dark", PackageResources.solar_dark_theme),
    ("okabe-ito", PackageResources.okabe_ito_theme),
    ("high-contrast", PackageResources.high_contrast_theme),
    ("amber", PackageResources.amber_theme),
    ("green", PackageResources.green_theme),
    ("terminal", PackageResources.terminal_theme),
    ("day", PackageResources.day_theme),
    ("solar-light", PackageResources.solar_light_theme),
  ]
}
