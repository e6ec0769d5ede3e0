namespace Millrace.Lab.Tests.Transfers;

/// <summary>The rows of gRPC's C++ core, compiled here: these tests need a compiler and the library, as for ./test --all.</summary>
/// <param name="folder">Of all of them: to compile takes longest.</param>
public sealed class CoreTransferTests(TemporaryFolder folder) : IClassFixture<TemporaryFolder>
{
    [NeedsFact(Need.GrpcCore)]
    public void Core_at_either_or_both_ends_moves_the_file_with_and_without_gzip()
    {
        LaunchResult launch = SmallTransfers.Launch(folder, LabMode.Quick, rounds: 2, "GrpcCore*/65536/*");
        Assert.Empty(launch.Absent);
        CaseResult[] cases = [.. launch.Cases.Values];
        Assert.Equal(12, cases.Length);
        Assert.All(cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            bool foreignClient = item.Method is "GrpcCoreClient" or "GrpcCore";
            bool foreignServer = item.Method is "GrpcCoreServer" or "GrpcCore";
            Assert.Equal(foreignClient, item.Unavailable?.GetValueOrDefault("allocatedBytes")?.Contains("C++", StringComparison.Ordinal) == true);
            Assert.Equal(foreignServer, item.Samples!.ServerAllocatedBytes is null);

            // Of 23.9 MB an end has something to do, whichever program it is.
            Assert.InRange(item.Samples.UserCpuNs.Sum() + item.Samples.SystemCpuNs.Sum(), 1, long.MaxValue);
            Assert.InRange(item.Samples.ServerCpuNs!.Sum(), 1, long.MaxValue);
            Assert.All(item.Samples.ServerPeakResidentBytes!, bytes => Assert.InRange(bytes, 1 << 20, 1 << 30));
        });
    }

    [NeedsFact(Need.GrpcCore)]
    public void Memory_of_a_foreign_client_is_measured()
    {
        TransfersSuite suite = SmallTransfers.Suite(rounds: 1);
        LabOptions options = SmallTransfers.Options(folder, LabMode.Quick, "GrpcCore/csv/*/65536/*/download/*/coding none/*");
        using SuiteInputs inputs = suite.TakeInputs(options);
        using IServedFiles served = ChildProgram.Workers.Serve(new ServeRequest("transfers", inputs.Files));

        MemoryResult memory = ChildProgram.Workers.MeasureMemory(
            new MemoryRequest("transfers", options, inputs.Files, 0) { Server = served.Address });

        // .NET's runtime alone has several times that.
        Assert.Null(memory.Reason);
        Assert.InRange(memory.PeakResidentBytes, 1 << 20, 40 << 20);
    }
}
