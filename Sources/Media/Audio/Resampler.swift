internal import CSpeex

/// Sample-rate conversion by SpeexDSP.
enum Resampler {
  /// Mono samples at `from` Hz to `to` Hz.
  static func resample(_ samples: [Int16], from: Int, to: Int) throws(MediaError) -> [Int16] {
    if from == to || samples.isEmpty { return samples }
    var status: Int32 = 0
    guard let state = speex_resampler_init(1, UInt32(from), UInt32(to), 7, &status) else {
      throw MediaError(.codecFailed, "Sound at \(from) Hz cannot be converted to \(to) Hz.")
    }
    defer { speex_resampler_destroy(state) }
    speex_resampler_skip_zeros(state)
    let capacity = Int(Double(samples.count) * Double(to) / Double(from)) + 64
    return [Int16](unsafeUninitializedCapacity: capacity) { output, count in
      var consumed = 0
      while consumed < samples.count, count < capacity, let start = output.baseAddress {
        var inputLength = UInt32(min(samples.count - consumed, 8_192))
        var outputLength = UInt32(capacity - count)
        samples[consumed...].withUnsafeBufferPointer { input in
          _ = speex_resampler_process_int(state, 0, input.baseAddress, &inputLength, start + count, &outputLength)
        }
        if inputLength == 0, outputLength == 0 { break }
        consumed += Int(inputLength)
        count += Int(outputLength)
      }
    }
  }
}
