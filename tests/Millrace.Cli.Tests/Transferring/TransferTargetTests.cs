using Millrace.Transfer;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>URLs as people type them.</summary>
public sealed class TransferTargetTests
{
    [Theory]
    [InlineData("http://host:8080/files/a.bin", "http://host:8080/files/", "a.bin", false)]
    [InlineData("http://host/files/2026/may/a.bin", "http://host/files/", "2026/may/a.bin", false)]
    [InlineData("https://host/files/2026/", "https://host/files/", "2026", true)]
    [InlineData("HTTP://[::1]:8080/data/", "http://[::1]:8080/data/", "", true)]
    [InlineData("http://host/files", "http://host/files/", "", true)]
    [InlineData("http://host/files/a%20b%25.bin", "http://host/files/", "a b%.bin", false)]
    [InlineData("http://host/files/Grüße und so.txt", "http://host/files/", "Grüße und so.txt", false)]
    [InlineData("http://host/files/Gr%C3%BC%C3%9Fe", "http://host/files/", "Grüße", false)]
    public void Url_gives_server_files_and_name(string url, string files, string name, bool isFolder)
    {
        TransferTarget target = TransferTarget.Parse(url);

        Assert.Equal(files, target.Files.AbsoluteUri);
        Assert.Equal(name, target.Name.Value);
        Assert.Equal(isFolder, target.IsFolder);
    }

    [Theory]
    [InlineData("host:8080/files/a", "http://")]
    [InlineData("ftp://host/files/a", "http://")]
    [InlineData("", "http://")]
    [InlineData("http:///files/a", "not a host")]
    [InlineData("http://host:99999/files/a", "host:99999")]
    [InlineData("http://me:secret@host/files/a", "--token-file")]
    [InlineData("http://host/files/a?b", "'?'")]
    [InlineData("http://host/files/a#b", "%23")]
    [InlineData("http://host/files/../a", "'..'")]
    [InlineData("http://host/files/%2e%2e/a", "'..'")]
    [InlineData("http://host/files/a//b", "empty part")]
    [InlineData("http://host/files/a//", "empty part")]
    [InlineData("http://host/files/a%2Fb", "encoded slash")]
    [InlineData("http://host/files/100%", "%25")]
    [InlineData("http://host/files/a%00b", "NUL")]
    [InlineData("http://host/files/a\\b", "backslash|\\\\")]
    public void Invalid_url_is_rejected_with_the_reason(string url, string reason)
    {
        var exception = Assert.Throws<TransferException>(() => TransferTarget.Parse(url));

        Assert.Contains("cannot be used", exception.Message, StringComparison.Ordinal);
        Assert.Matches(reason.Replace("?", "\\?", StringComparison.Ordinal).Replace("..", "\\.\\.", StringComparison.Ordinal), exception.Message);
    }

    [Fact]
    public void Password_in_a_url_is_not_printed() =>
        Assert.DoesNotContain(
            "secret",
            Assert.Throws<TransferException>(() => TransferTarget.Parse("http://me:secret@host/files/a")).Message,
            StringComparison.Ordinal);

    [Fact]
    public void The_query_of_a_signed_link_is_never_printed()
    {
        TransferTarget target = TransferTarget.ParseWithLink("http://host/api/files/a%20b?mr-expires=1&mr-key=1&mr-signature=secret");

        Assert.Equal("http://host/api/files/a%20b", target.Text);
        Assert.Equal("files/a b", target.Link!.Name.Value);
        Assert.Equal("a b", target.Below("/api/files").Link!.Name.Value);
        Assert.DoesNotContain("secret", target.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://host/files/a/?mr-signature=secret", "folder")]
    [InlineData("http://host/files/a?mr-signature=sec ret", "in quotes")]
    [InlineData("http://host/files/../a?mr-signature=secret", "'..'")]
    [InlineData("http://host/files/a?b=secret", "'?'")]
    public void Invalid_link_is_rejected_without_printing_its_query(string url, string reason)
    {
        var exception = Assert.Throws<TransferException>(() => TransferTarget.ParseWithLink(url));

        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("sec", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://host/files/a/b", "/files", "http://host/files/", "a/b")]
    [InlineData("http://host/api/v1/files/a/b/", "/api/v1/files/", "http://host/api/v1/files/", "a/b")]
    [InlineData("http://host", "/files", "http://host/files/", "")]
    [InlineData("http://host/", "/files", "http://host/files/", "")]
    [InlineData("http://host/a/b", "/", "http://host/", "a/b")]
    [InlineData("http://host/share/", "/share/x/files", "http://host/share/x/files/", "")]
    public void The_server_says_where_its_files_are(string url, string described, string files, string name)
    {
        TransferTarget target = TransferTarget.Parse(url).Below(described);

        Assert.Equal(files, target.Files.AbsoluteUri);
        Assert.Equal(name, target.Name.Value);
        Assert.Equal(url.EndsWith('/') || name.Length == 0, target.IsFolder);
    }

    [Theory]
    [InlineData("http://host:1/data/a")]
    [InlineData("http://host:1/api")]
    [InlineData("http://host:1/ap/")]
    public void Url_outside_the_files_is_rejected_with_their_location(string url)
    {
        TransferTarget target = TransferTarget.Parse(url);

        var exception = Assert.Throws<TransferException>(() => target.Below("/api/files"));
        Assert.Contains("http://host:1/api/files/", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_url_of_a_name_leads_back_to_it()
    {
        TransferTarget target = TransferTarget.Parse("http://host/files/");
        TransferName name = TransferName.Parse("a b/ü%#.txt");

        string url = target.UrlOf(name);

        Assert.Equal("http://host/files/a%20b/%C3%BC%25%23.txt", url);
        Assert.Equal(name, TransferTarget.Parse(url).Name);
        Assert.Equal(url + "/", target.UrlOf(name, folder: true));
        Assert.Equal("http://host/files/", target.UrlOf(default, folder: true));
    }
}
