using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests.Files;

public sealed partial class FolderPageTests : ServerTest
{
    [Fact]
    public async Task A_name_is_text_and_a_link_and_never_markup()
    {
        // As much of <img src=x onerror=alert(1)> as a name can have, and all that HTML has a meaning for.
        await Server.WriteAsync("f/img src=x onerror=alert(1)/a.txt", Content.Of(1));
        await Server.WriteAsync("f/&amp;'quot;.txt", Content.Of(1));
        await Server.WriteAsync("f/javascript&colon;alert(1)", Content.Of(1));
        await Server.WriteAsync("f/#hash", Content.Of(1));
        string page = await PageAsync("files/f/");
        Assert.Contains("href=\"./%26amp%3B%27quot%3B.txt\">&amp;amp;&#x27;quot;.txt</a>", page);
        Assert.Contains("href=\"./img%20src%3Dx%20onerror%3Dalert%281%29/\"", page);
        Assert.Contains("href=\"./%23hash\"", page);
        Assert.DoesNotContain("<img", page);
        Assert.DoesNotContain("<script", page);
    }

    [Fact]
    public async Task Names_from_other_stores_are_escaped()
    {
        // A query is the client's own: it comes back in links.
        for (int i = 0; i < 3; i++)
        {
            await Server.WriteAsync($"f/{i}", Content.Of(1));
        }

        string page = await PageAsync("files/f/?limit=1&prefix=%22%3E%3Cimg%20src=x%3E");
        Assert.DoesNotContain("<img", page);
        page = await PageAsync("files/f/?limit=1&recursive=%22%3E%3Cimg%20src=x%3E");
        Assert.DoesNotContain("<img", page);
        Assert.Contains("rel=\"next\"", page);
    }

    [Fact]
    public async Task Page_links_to_parents_archives_and_the_next_page()
    {
        await Server.WriteAsync("a/b b/c/1.txt", Content.Of(1));
        await Server.WriteAsync("a/b b/c/2.txt", Content.Of(2048));
        string page = await PageAsync("files/a/b%20b/c/?limit=1");
        Assert.Contains("<a href=\"../../../\">Files</a>", page);
        Assert.Contains("<a href=\"../../\">a</a>", page);
        Assert.Contains("<a href=\"../\">b b</a>", page);
        Assert.Contains("<button name=\"archive\" value=\"zip\">", page);
        Assert.DoesNotContain("?archive=", page);
        string next = NextLink().Match(page).Groups["query"].Value.Replace("&amp;", "&");
        page = await PageAsync($"files/a/b%20b/c/{next}");
        Assert.Contains("2.txt", page);
        Assert.Contains("2.0 KiB", page);
        Assert.DoesNotContain("1.txt", page);
    }

    [Fact]
    public async Task Page_policy_allows_only_its_own_style()
    {
        using HttpResponseMessage response = await GetAsync("files/", ("Accept", "text/html"));
        string policy = response.Headers.GetValues("Content-Security-Policy").Single();
        Assert.StartsWith("default-src 'none'; style-src 'sha256-", policy, StringComparison.Ordinal);
        string page = await response.Content.ReadAsStringAsync();
        string style = Style().Match(page).Groups["css"].Value;
        Assert.Contains(
            Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(style))),
            policy);
    }

    [Theory]
    [InlineData(0, "0 bytes")]
    [InlineData(1, "1 byte")]
    [InlineData(1023, "1023 bytes")]
    [InlineData(1024, "1.0 KiB")]
    [InlineData(1536, "1.5 KiB")]
    [InlineData(150 * 1024, "150 KiB")]
    [InlineData(5L * 1024 * 1024 * 1024, "5.0 GiB")]
    [InlineData(long.MaxValue, "8.0 EiB")]
    public void Size_is_written_in_few_digits(long bytes, string expected) => Assert.Equal(expected, FolderPage.Size(bytes));

    private async Task<string> PageAsync(string path)
    {
        using HttpResponseMessage response = await GetAsync(path, ("Accept", "text/html"));
        Assert.Equal("text/html; charset=utf-8", response.Content.Headers.ContentType?.ToString());
        return await response.Content.ReadAsStringAsync();
    }

    [GeneratedRegex("rel=\"next\" href=\"\\./(?<query>[^\"]*)\"", RegexOptions.ExplicitCapture)]
    private static partial Regex NextLink();

    [GeneratedRegex("<style>(?<css>.*)</style>", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Style();
}
