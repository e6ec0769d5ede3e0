using Amazon.Runtime;
using Amazon.S3;
using Millrace.Lab.Suites.Stores;

namespace Millrace.Lab.Tests.Stores;

/// <summary>The suite with few rounds and a file of 12 MiB, over a real object store.</summary>
[Trait("Tier", "All")]
public sealed class StoresSuiteTests(StoresSuiteTests.Measured measured) : IClassFixture<StoresSuiteTests.Measured>
{
    private const long Bytes = 12 << 20;

    [NeedsFact(Need.Ceph | Need.Rclone)]
    public void Every_method_moves_the_file_both_ways()
    {
        LabResults results = measured.Results!;
        Assert.Empty(results.Absent);
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            Assert.Equal(Bytes, item.Parameters.Bytes);
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Equal(item.Method.StartsWith(StoreMethod.Millrace, StringComparison.Ordinal), item.Samples!.ServerCpuNs is not null);
        });
        Assert.Equal(
            ["Millrace download", "Millrace upload", "MillraceRedirected download", "Rclone download", "Rclone upload", "RcloneOnePut upload", "RcloneUnchecked download", "RcloneUnchecked upload"],
            results.Cases.Where(item => item.Role is null).Select(item => $"{item.Method} {item.Parameters.Direction}").Order(StringComparer.Ordinal));
        Assert.Equal(6, results.Targets.Count);
        Assert.All(results.Targets, target => Assert.NotNull(target.Met));
        Assert.Contains("moving one from the bucket, Millrace ", results.Finding, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Ceph | Need.Rclone)]
    public void Nothing_is_left_but_what_was_there_before()
    {
        Assert.Equal(["prefix/mine"], measured.Left!);
        Assert.Equal(
            ["random-12MiB.bin"],
            Directory.EnumerateFiles(measured.Folder["data"], "*.bin", SearchOption.AllDirectories).Select(Path.GetFileName).Distinct());
    }

    [NeedsFact(Need.Ceph)]
    public void Bucket_that_cannot_be_used_is_named_in_a_sentence()
    {
        LabException exception = Assert.ThrowsAny<LabException>(() => new StoresSuite().Serve(
            new ServeRequest("stores", []) { Bucket = measured.Bucket! with { Bucket = "no-such-bucket" } }));
        Assert.Contains("bucket does not exist", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_without_a_bucket_says_how_to_name_one()
    {
        using var folder = new TemporaryFolder();
        NoCaseException exception = Assert.Throws<NoCaseException>(
            () => new StoresSuite(large: Bytes).TakeInputs(new LabOptions { DataFolder = folder.Path }));
        Assert.Contains("--bucket s3://", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new StoresSuite().TakeInputs(new LabOptions { FilePath = "mine" }));
        Assert.Contains("--bucket", exception.Message, StringComparison.Ordinal);
    }

    public sealed class Measured : IAsyncLifetime
    {
        internal TemporaryFolder Folder { get; } = new();

        internal LabBucket? Bucket { get; private set; }

        internal LabResults? Results { get; private set; }

        internal IReadOnlyList<string>? Left { get; private set; }

        public async Task InitializeAsync()
        {
            if (Needs.Missing(Need.Ceph | Need.Rclone) is not null)
            {
                return;
            }

            CephServer server = await CephServer.Shared;

            // As a user gives them; nothing else of these tests reads them.
            Environment.SetEnvironmentVariable("AWS_ACCESS_KEY_ID", CephServer.AccessKey);
            Environment.SetEnvironmentVariable("AWS_SECRET_ACCESS_KEY", CephServer.SecretKey);
            Environment.SetEnvironmentVariable("AWS_EC2_METADATA_DISABLED", "true");
            Environment.SetEnvironmentVariable("AWS_CA_BUNDLE", null);
            Bucket = new LabBucket("lab-" + Guid.NewGuid().ToString("N"), "prefix", server.Address, Region: null, PathStyle: true);
            using var client = new AmazonS3Client(new AmazonS3Config
            {
                ServiceURL = server.Address.AbsoluteUri,
                ForcePathStyle = true,
                AuthenticationRegion = "us-east-1",
                RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            });
            await client.PutBucketAsync(Bucket.Bucket);
            await client.PutObjectAsync(new() { BucketName = Bucket.Bucket, Key = "prefix/mine", ContentBody = "mine" });
            var suite = new StoresSuite(
                new SuiteLimits
                {
                    Groups = [new() { Group = StoreCase.Only, MinRounds = 2, MaxRounds = 2, Time = TimeSpan.Zero, MaxPerVisit = 1, WithPasses = false }],
                    Launches = 1,
                    WarmUpPhases = 1,
                },
                large: Bytes);
            var options = new LabOptions { DataFolder = Folder["data"], Bucket = Bucket, Seed = 42, Command = "test", Launches = 1 };
            Results = await Task.Run(() => SuiteRun.Run(suite, options, new InProcessHost(suite), new RecordedProgress(), default));
            Left = [.. (await client.ListObjectsV2Async(new() { BucketName = Bucket.Bucket })).S3Objects.Select(item => item.Key)];
        }

        public Task DisposeAsync()
        {
            Folder.Dispose();
            return Task.CompletedTask;
        }
    }
}
