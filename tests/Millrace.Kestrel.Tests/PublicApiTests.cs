// The tests count open handles and calls of the whole process.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Millrace.Kestrel.Tests;

public sealed class PublicApiTests() : PublicApiTest(typeof(MillraceSockets).Assembly);
