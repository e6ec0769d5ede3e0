namespace Millrace.Transfer.Server.Tests.Access;

public sealed class TransferScopesTests
{
    [Theory]
    [InlineData("read", TransferScope.Read)]
    [InlineData("read,write", TransferScope.Read | TransferScope.Write)]
    [InlineData(" list , delete ", TransferScope.List | TransferScope.Delete)]
    [InlineData("all", TransferScope.All)]
    public void Words_are_parsed(string text, TransferScope expected)
    {
        Assert.True(TransferScopes.TryParse(text, out TransferScope scopes, out _));
        Assert.Equal(expected, scopes);
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("read,", "")]
    [InlineData("read,execute", "execute")]
    [InlineData("Read", "Read")]
    public void First_unknown_word_is_named_and_nothing_is_allowed(string text, string expected)
    {
        Assert.False(TransferScopes.TryParse(text, out TransferScope scopes, out string? unknown));
        Assert.Equal(expected, unknown);
        Assert.Equal(TransferScope.None, scopes);
    }

    [Fact]
    public void Every_combination_survives_a_round_trip()
    {
        for (int i = 1; i <= (int)TransferScope.All; i++)
        {
            Assert.True(TransferScopes.TryParse(TransferScopes.ToText((TransferScope)i), out TransferScope again, out _));
            Assert.Equal((TransferScope)i, again);
        }
    }
}
