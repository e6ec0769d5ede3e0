namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusMetadataTests
{
    [Fact]
    public void Keys_and_values_keep_their_order()
    {
        TusMetadata metadata = TusMetadata.Parse("filename d29ybGQ=,is_confidential,type dGV4dA==, empty ");
        Assert.Equal(["filename", "is_confidential", "type", "empty"], metadata.Pairs.Select(static pair => pair.Key));
        Assert.Equal("world", metadata.Text("filename"));
        Assert.Null(metadata.Text("is_confidential"));
        Assert.True(metadata.TryGet("empty", out ReadOnlyMemory<byte> empty) && empty.IsEmpty);
        Assert.False(metadata.TryGet("Filename", out _));
    }

    [Theory]
    [InlineData("filename d29ybGQ=,filename d29ybGQ=", "twice")]
    [InlineData("filename d29ybGQ", "is not base64")]
    [InlineData("filename d29y bGQ=", "is not base64")]
    [InlineData("filename !!!!", "is not base64")]
    [InlineData("filename d29ybGQ=,", "empty")]
    [InlineData(",", "empty")]
    [InlineData("näme d29ybGQ=", "ASCII")]
    public void Malformed_metadata_is_refused_with_a_reason(string field, string why)
    {
        string message = Assert.Throws<TransferException>(() => TusMetadata.Parse(field)).Message;
        Assert.Contains(why, message, StringComparison.Ordinal);
    }

    [Fact]
    public void Metadata_over_the_limit_is_refused()
    {
        string field = "filename " + new string('A', TusMetadata.MaxBytes);
        string why = Assert.Throws<TransferException>(() => TusMetadata.Parse(field)).Message;
        Assert.Contains("4096", why, StringComparison.Ordinal);
    }

    [Fact]
    public void A_name_that_is_not_UTF_8_is_refused()
    {
        TusMetadata metadata = TusMetadata.Parse("filename /w==");
        var refused = Assert.Throws<TransferException>(() => UploadNames.Choose(metadata, AllowedNames.Native));
        Assert.Equal(TransferError.InvalidName, refused.Error);
    }

    [Theory]
    [InlineData("a.txt", null, null, "a.txt")]
    [InlineData(null, "a.txt", null, "a.txt")]
    [InlineData("a.txt", "b.txt", null, "a.txt")]
    [InlineData("a.txt", "a.txt", "null", "a.txt")]
    [InlineData("a.txt", "a.txt", "photos/2026/a.txt", "photos/2026/a.txt")]
    [InlineData("a.txt", "a.txt", "../a.txt", "a.txt")]
    [InlineData("a.txt", "a.txt", "photos/b.txt", "a.txt")]
    public void Name_is_chosen_from_the_clients_metadata(string? filename, string? name, string? relative, string expected)
    {
        List<string> pairs = [];
        Add("filename", filename);
        Add("name", name);
        Add("relativePath", relative);
        TusMetadata metadata = TusMetadata.Parse(string.Join(',', pairs));
        Assert.Equal(expected, UploadNames.Choose(metadata, AllowedNames.Native).Value);

        void Add(string key, string? value)
        {
            if (value is not null)
            {
                pairs.Add($"{key} {UploadServer.Base64(value)}");
            }
        }
    }
}
