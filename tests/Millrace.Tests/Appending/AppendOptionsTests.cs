namespace Millrace.Tests.Appending;

/// <summary>FileAppendOptions: defaults pinned, and what init refuses.</summary>
public sealed class AppendOptionsTests
{
    [Fact]
    public void The_defaults_are_what_they_were()
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
    public void Values_that_are_not_defined_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileAppendOptions { Durability = (Durability)9 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new FileAppendOptions { TornTail = (TornTailAction)9 });
    }

    [Fact]
    public void No_durability_is_not_the_default() =>
        Assert.Equal(Durability.None, new FileAppendOptions { Durability = Durability.None }.Durability);
}
