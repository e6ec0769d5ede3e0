namespace Millrace.Tests.Writing;

/// <summary>FileWriteOptions: defaults pinned, and what init refuses.</summary>
public sealed class WriteOptionsTests
{
    [Fact]
    public void Defaults_are_pinned()
    {
        FileWriteOptions options = default;
        Assert.Equal(Durability.OnCommit, options.Durability);
        Assert.Equal(FileWriteOptions.DefaultDurability, options.Durability);
        Assert.Equal(WriteStrategy.Auto, options.Strategy);
        Assert.False(options.CreateNew);
        Assert.Equal(0, options.PreallocationSize);
        Assert.False(options.ComputeSha256);
        Assert.Null(options.UnixCreateMode);
        Assert.Null(options.Pool);
        Assert.False(options.Portable);
        Assert.Equal(default, new FileWriteOptions());
    }

    [Fact]
    public void Durability_None_is_not_the_default() =>
        Assert.Equal(Durability.None, new FileWriteOptions { Durability = Durability.None }.Durability);

    [Fact]
    public void Out_of_range_values_are_rejected()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileWriteOptions { Durability = (Durability)3 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileWriteOptions { Strategy = (WriteStrategy)4 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileWriteOptions { PreallocationSize = -1 });
        Assert.All(
            new[] { -4096, 1, 4095, 2_101_248 },
            bytes => Assert.Throws<ArgumentOutOfRangeException>(() => new FileWriteOptions { BlockBytes = bytes }));
    }

    [Fact]
    public void Boundaries_are_checked()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordBoundary.Every(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordBoundary.Every(1, -1));
        Assert.Throws<ArgumentNullException>(() => RecordBoundary.Where(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordBoundary.Where((_, _) => true, -1));
        Assert.Throws<ArgumentOutOfRangeException>(() => RecordBoundary.Where((_, _) => true, RecordBoundary.MaxLookAhead + 1));
        Assert.Equal(4096, RecordBoundary.MaxLookAhead);
    }
}
