namespace Millrace.Transfer.Tests.Names;

public sealed class TransferNameTests
{
    [Theory]
    [InlineData("a")]
    [InlineData("a/b/c.csv")]
    [InlineData("..a/b..c/...d")]
    [InlineData("Übergrößenträger/日本語/🙂.txt")]
    [InlineData("with space/and+plus&100%.txt")]
    [InlineData(".hidden")]
    [InlineData("console.log")]
    public void A_relative_path_is_a_name(string text)
    {
        Assert.True(TransferName.TryParse(text, out TransferName name, out NameFault fault), fault.ToString());
        Assert.Equal(text, name.Value);
        Assert.True(name.IsPortable);
        Assert.True(default(TransferName).IsPortable);
        Assert.True(TransferName.TryParseEncoded(name.ToEncoded(), out TransferName again, out fault), fault.ToString());
        Assert.Equal(name, again);
    }

    [Theory]
    [InlineData("", nameof(NameFault.Empty))]
    [InlineData("/etc/passwd", nameof(NameFault.Absolute))]
    [InlineData("a//b", nameof(NameFault.EmptyPart))]
    [InlineData("a/", nameof(NameFault.EmptyPart))]
    [InlineData(".", nameof(NameFault.DotPart))]
    [InlineData("a/../b", nameof(NameFault.DotPart))]
    [InlineData("a/%2e%2e/b", nameof(NameFault.DotPart))]
    [InlineData("a/%252e%252e/b", nameof(NameFault.DotPart))]
    [InlineData("%2e%2e%2fb", nameof(NameFault.DotPart))]
    [InlineData("..%5cb", nameof(NameFault.DotPart))]
    [InlineData("a\\..\\b", nameof(NameFault.DotPart))]
    [InlineData(".\\b", nameof(NameFault.DotPart))]
    [InlineData("a\0b", nameof(NameFault.ForbiddenCharacter))]
    [InlineData(".millrace/uploads", nameof(NameFault.Hidden))]
    [InlineData("a/.MillRace", nameof(NameFault.Hidden))]
    [InlineData("a/.millrace-0123456789ab.tmp", nameof(NameFault.Hidden))]
    [InlineData("MILLRA~1", nameof(NameFault.Hidden))]
    [InlineData("a/Millra~23/b", nameof(NameFault.Hidden))]
    [InlineData("a\\.MILLRACE", nameof(NameFault.Hidden))]
    [InlineData(".millrace. .", nameof(NameFault.Hidden))]
    [InlineData(".millrace::$INDEX_ALLOCATION/tokens.json", nameof(NameFault.Hidden))]
    [InlineData(".mill\u00ADrace", nameof(NameFault.Hidden))]
    [InlineData("\u200C.millrace/a", nameof(NameFault.Hidden))]
    [InlineData(".millrace\uFE0F-ä", nameof(NameFault.Hidden))]
    [InlineData(".millrac\U000E0061e", nameof(NameFault.Hidden))]
    public void Ambiguous_names_are_refused(string text, string expected)
    {
        Assert.False(TransferName.TryParse(text, out _, out NameFault fault));
        Assert.Equal(expected, fault.ToString());
        TransferException thrown = Assert.Throws<TransferException>(() => TransferName.Parse(text));
        Assert.Equal(TransferError.InvalidName, thrown.Error);
    }

    [Theory]
    [InlineData("c:/x")]
    [InlineData("a\\b")]
    [InlineData("a\nb")]
    [InlineData("a\u007Fb")]
    [InlineData("a\u0085b")]
    [InlineData("ab:c")]
    [InlineData("What?.mp3")]
    [InlineData("x/CON")]
    [InlineData("nul.txt")]
    [InlineData("com1 .x")]
    [InlineData("lpt²")]
    [InlineData("...")]
    [InlineData("a.")]
    [InlineData("a /b")]
    public void A_name_that_Windows_cannot_have_is_valid_and_not_portable(string text)
    {
        Assert.False(TransferName.Parse(text).IsPortable);
        Assert.True(TransferName.TryParseEncoded(TransferName.Parse(text).ToEncoded(), out TransferName again));
        Assert.Equal(text, again.Value);
    }

    [Theory]
    [InlineData("a%2fb", nameof(NameFault.ForbiddenCharacter))]
    [InlineData("%2e%2e/b", nameof(NameFault.DotPart))]
    [InlineData("a%00", nameof(NameFault.ForbiddenCharacter))]
    [InlineData("a%c0%af", nameof(NameFault.NotUnicode))]
    [InlineData("a%ff", nameof(NameFault.NotUnicode))]
    [InlineData("a%2", nameof(NameFault.ForbiddenCharacter))]
    [InlineData("a%zz", nameof(NameFault.ForbiddenCharacter))]
    public void An_encoded_path_is_decoded_once_and_strictly(string path, string expected)
    {
        Assert.False(TransferName.TryParseEncoded(path, out _, out NameFault fault));
        Assert.Equal(expected, fault.ToString());
    }

    [Fact]
    public void Half_of_a_surrogate_pair_is_refused()
    {
        Assert.False(TransferName.TryParse("a\uD800", out _, out NameFault fault));
        Assert.Equal(NameFault.NotUnicode, fault);
    }

    [Fact]
    public void A_name_has_at_most_1024_bytes_and_255_in_a_part()
    {
        string part = new('x', 255);
        Assert.True(TransferName.TryParse(part, out _, out _));
        Assert.False(TransferName.TryParse(part + "x", out _, out NameFault fault));
        Assert.Equal(NameFault.TooLong, fault);
        string longest = string.Join('/', part, part, part, part);
        Assert.Equal(1023, longest.Length);
        Assert.True(TransferName.TryParse(longest, out _, out _));
        Assert.False(TransferName.TryParse(longest + "/x", out _, out fault));
        Assert.Equal(NameFault.TooLong, fault);
        Assert.False(TransferName.TryParse(new string('é', 128), out _, out fault));
        Assert.Equal(NameFault.TooLong, fault);
    }

    [Theory]
    [InlineData("a/b/c", "a/b", true)]
    [InlineData("a/b", "a/b", true)]
    [InlineData("a/bc", "a/b", false)]
    [InlineData("a", "a/b", false)]
    public void IsIn_compares_whole_parts(string name, string folder, bool expected)
    {
        Assert.Equal(expected, TransferName.Parse(name).IsIn(TransferName.Parse(folder)));
        Assert.True(TransferName.Parse(name).IsIn(default));
    }
}
