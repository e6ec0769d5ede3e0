namespace Millrace.Transfer.Tests;

public sealed class PublicApiTests() : PublicApiTest(typeof(TransferClient).Assembly);
