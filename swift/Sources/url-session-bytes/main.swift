// The laboratory compiles all files as one module.
#if SWIFT_PACKAGE
import UrlSessionBytes
#endif

await answerLines()
