namespace Millrace.Transfer.Server.Tests;

public sealed class PublicApiTests() : PublicApiTest(typeof(TransferServer).Assembly);
