import RTCCore

extension RGBPicture {
  /// The same picture in another size, by taking the nearest pixel: for the moment until one of the right size is
  /// decoded. Itself where the size is right, or where there is nothing to scale.
  func scaled(to size: PixelSize) -> RGBPicture {
    guard size.width != width || size.height != height else { return self }
    guard width > 0, height > 0, size.width > 0, size.height > 0 else { return self }
    // The middle of each pixel decides, so that nothing shifts.
    let sources = (0..<size.width).map { (2 * $0 + 1) * width / (2 * size.width) }
    var result: [UInt32] = []
    result.reserveCapacity(size.width * size.height)
    for row in 0..<size.height {
      let start = (2 * row + 1) * height / (2 * size.height) * width
      for source in sources { result.append(pixels[start + source]) }
    }
    return RGBPicture(width: size.width, height: size.height, pixels: result)
  }
}
