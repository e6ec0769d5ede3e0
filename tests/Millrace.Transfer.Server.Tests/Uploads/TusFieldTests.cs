namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusFieldTests
{
    private const string A = "0123456789abcdef0123456789abcdef";
    private const string B = "fedcba9876543210fedcba9876543210";

    [Theory]
    [InlineData("final;/uploads/" + A + " /uploads/" + B)]
    [InlineData("final; http://one.example/uploads/" + A + "  https://two.example/x/" + B + "/?q#f")]
    public void Parts_are_found_in_relative_and_absolute_URLs(string field)
    {
        TusConcat concat = TusConcat.Parse(field);
        Assert.False(concat.IsPartial);
        Assert.Equal([A, B], concat.Parts!.Select(static part => part.Value));
    }

    [Fact]
    public void Partial_upload_differs_from_no_concatenation()
    {
        Assert.True(TusConcat.Parse("partial").IsPartial);
        TusConcat none = TusConcat.Parse(null);
        Assert.False(none.IsPartial);
        Assert.Null(none.Parts);
    }

    [Theory]
    [InlineData("")]
    [InlineData("Partial")]
    [InlineData("final;")]
    [InlineData("final;/uploads/none")]
    [InlineData("final /uploads/" + A)]
    public void Other_concatenations_are_refused(string field) =>
        Assert.Equal(TransferError.InvalidRequest, Assert.Throws<TransferException>(() => TusConcat.Parse(field)).Error);

    [Theory]
    [InlineData("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", true)]
    [InlineData("sha256 4REjxQ4yrqUVicfSKYNO/cF9zNj5ANbzgDZt3/h3Qxo=", false)]
    public void Checksums_are_read(string field, bool isSha1) => Assert.Equal(isSha1, TusChecksum.Parse(field).IsSha1);

    [Theory]
    [InlineData("")]
    [InlineData("md5 1B2M2Y8AsgTpgAmY7PhCfg==")]
    [InlineData("sha1")]
    [InlineData("sha1 y/Q5Jg==")]
    [InlineData("crc32 y/Q5Jg==")]
    [InlineData("SHA1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=")]
    public void Other_checksums_are_refused(string field) =>
        Assert.Equal(TransferError.InvalidRequest, Assert.Throws<TransferException>(() => TusChecksum.Parse(field)).Error);

    [Theory]
    [InlineData("?1", true, true)]
    [InlineData(" ?0 ", true, false)]
    [InlineData("?1;a=b", true, true)]
    [InlineData("?2", false, false)]
    [InlineData("1", false, false)]
    [InlineData("?1;", false, false)]
    [InlineData("?1, ?1", false, false)]
    public void Booleans_of_structured_fields_are_read_strictly(string field, bool valid, bool value)
    {
        Assert.Equal(valid, StructuredField.TryParseBoolean(field, out bool found));
        Assert.Equal(value, found);
    }

    [Theory]
    [InlineData("0", 0L)]
    [InlineData("999999999999999", 999_999_999_999_999L)]
    [InlineData("12;x", 12L)]
    [InlineData("1000000000000000", null)]
    [InlineData("-1", null)]
    [InlineData("1.0", null)]
    [InlineData("", null)]
    public void Counts_of_structured_fields_are_read_strictly(string field, long? value)
    {
        Assert.Equal(value is not null, StructuredField.TryParseCount(field, out long found));
        Assert.Equal(value ?? 0, found);
    }
}
