using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Tests.Infrastructure;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>The rows of gRPC's C++ core, compiled here: these tests need a compiler and the library, as ./test says.</summary>
public sealed class CoreTransferTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void File_is_moved_with_the_core_at_either_end_and_at_both_as_it_is_and_with_gzip()
    {
        LabResults results = SuiteRun.Run(
            SmallTransfers.Suite(rounds: 1),
            SmallTransfers.Options(_folder, LabMode.Quick, "GrpcCore*/65536/*"),
            SmallTransfers.Host,
            new RecordedProgress(),
            default);
        Assert.Empty(results.Absent);
        Assert.Equal(12, results.Cases.Count);
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            bool foreignClient = item.Method is "GrpcCoreClient" or "GrpcCore";
            bool foreignServer = item.Method is "GrpcCoreServer" or "GrpcCore";
            Assert.Equal(foreignClient, item.Unavailable?.GetValueOrDefault("allocatedBytes")?.Contains("C++", StringComparison.Ordinal) == true);
            Assert.Equal(foreignServer, item.Samples!.ServerAllocatedBytes is null);

            // Of 23.9 MB an end has something to do, whichever program it is.
            Assert.All(item.Samples.UserCpuNs, time => Assert.InRange(time, 1, long.MaxValue));
            Assert.All(item.Samples.ServerCpuNs!, time => Assert.InRange(time, 1, long.MaxValue));
            Assert.All(item.Samples.ServerPeakResidentBytes!, bytes => Assert.InRange(bytes, 1 << 20, 1 << 30));
            Assert.InRange(item.Summary!.PeakResidentBytes!.Value, 1 << 20, 1 << 30);
        });
    }
}
