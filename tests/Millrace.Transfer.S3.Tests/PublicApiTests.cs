namespace Millrace.Transfer.S3.Tests;

public sealed class PublicApiTests() : PublicApiTest(typeof(S3FileStore).Assembly);
