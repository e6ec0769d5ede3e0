namespace Millrace.Tests.Appending;

/// <summary>FileAppendOptions: defaults pinned, and what init refuses.</summary>
public sealed class AppendOptionsTests
{
    [Fact]
    public void Defaults_are_pinned()
    {
        FileAppendOptions options = default;

        Assert.Equal(Durability.EveryFlush, options.Durability);
        Assert.Equal(FileAppendOptions.DefaultDurability, options.Durability);
        Assert.Null(options.Boundary);
        Assert.Null(options.FindEnd);
        Assert.Equal(TornTailAction.Refuse, options.TornTail);
        Assert.Null(options.UnixCreateMode);
        Assert.Null(options.Pool);
        Assert.False(options.Portable);
        Assert.Equal(default, new FileAppendOptions());
    }

    [Fact]
    public void Undefined_values_are_rejected()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileAppendOptions { Durability = (Durability)9 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileAppendOptions { TornTail = (TornTailAction)9 });
    }

    [Fact]
    public void Durability_None_is_not_the_default() =>
        Assert.Equal(Durability.None, new FileAppendOptions { Durability = Durability.None }.Durability);
}
