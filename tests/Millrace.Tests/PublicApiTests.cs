namespace Millrace.Tests;

public sealed class PublicApiTests() : PublicApiTest(typeof(FilePipe).Assembly);
