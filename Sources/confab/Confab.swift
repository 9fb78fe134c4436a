@main enum Confab { static func main() {} }
