namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class StoreOptionsTests
{
    [Fact]
    public void Defaults_match_the_documentation()
    {
        var options = new LocalFileStoreOptions();
        Assert.Null(options.MaxFileBytes);
        Assert.Null(options.MaxTotalBytes);
        Assert.Equal(64 * 1024 * 1024, options.FreeSpaceToLeave);
        Assert.Equal(TimeSpan.FromHours(24), options.UploadLifetime);
        Assert.Equal(TimeSpan.FromMinutes(10), options.EmptyUploadLifetime);
        Assert.Equal(1000, options.MaxUploadsPerCaller);
        Assert.Equal(4000, options.MaxUploads);
        Assert.Equal(64 * 1024 * 1024, options.CheapDigestBytes);
        Assert.Equal(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, options.MaxCachedBytes);
        Assert.Equal(Durability.OnCommit, options.Durability);
        Assert.True(options.ComputeSha256);
        Assert.Same(TimeProvider.System, options.TimeProvider);
        Assert.False(options.Portable);
        Assert.Equal(1000, default(ListFilesOptions).PageSize);
    }

    [Fact]
    public void Cached_bytes_are_not_negative() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new LocalFileStoreOptions { MaxCachedBytes = -1 });

    [Fact]
    public void At_least_one_upload_is_allowed()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new LocalFileStoreOptions { MaxUploads = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new LocalFileStoreOptions { MaxUploadsPerCaller = 0 });
    }

    [Theory, InlineData(0), InlineData(10_001)]
    public void Page_size_is_1_to_10000(int size) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new ListFilesOptions { PageSize = size });
}
