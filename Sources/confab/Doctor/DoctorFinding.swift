import Conference

/// One thing that the doctor looked at.
struct DoctorFinding {
  enum Verdict: String { case good = "ok", note = "note", bad = "bad" }

  let verdict: Verdict
  let subject: String
  let text: String
  /// What other commands would fail with for this reason.
  var code: ConferenceError.Code?
}
