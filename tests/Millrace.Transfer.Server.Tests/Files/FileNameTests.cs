namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Raw on a socket, because clients normalize paths before they send them.</summary>
public class FileNameTests : ServerTest, IDisposable
{
    private const string Secret = "the file outside";

    /// <summary>Targets of requests; <c>{host}</c> is the server's address.</summary>
    private static readonly string[] Refused =
    [
        "/files/../secret.txt", "/files/../../secret.txt", "/files/a/../../secret.txt", "/files/..", "/files/../", "/files/.", "/files/./a",
        "/files/a/.", "/files/a/..", "/files/%2e%2e/secret.txt", "/files/%2E%2E/secret.txt", "/files/.%2e/secret.txt",
        "/files/%2e%2e%2fsecret.txt", "/files/..%2fsecret.txt", "/files/..%2Fsecret.txt", "/files/a%2fb", "/files/..%5csecret.txt",
        "/files/..\\secret.txt", "/files\\..\\secret.txt", "/files/%252e%252e/secret.txt", "/files/%252e%252e%252fsecret.txt",
        "/files/%25252e%25252e/secret.txt", "/files/..%252fsecret.txt", "/files/..%c0%afsecret.txt", "/files/%c0%ae%c0%ae/secret.txt",
        "/files/%e0%80%ae%e0%80%ae/secret.txt", "/files/%f0%80%80%ae/secret.txt", "/files/%c0%2e%c0%2e/secret.txt", "/files/a%ff",
        "/files/a%80", "/files/a%ed%a0%80", "/files/a%00", "/files/a%00.txt", "/files/%00", "/files/a%", "/files/a%2", "/files/a%zz",
        "/files/a%u002e", "/files//", "/files//a", "/files/a//b", "/files//etc/passwd", "/files/%2fetc%2fpasswd", "/files/a///",
        "/files/.millrace", "/files/.millrace/uploads/x", "/files/.MILLRACE/uploads/x", "/files/%2emillrace/x",
        "/files/a/.millrace-0123456789ab.tmp", "http://{host}/files/../secret.txt", "http://{host}/files/%2e%2e/secret.txt",
        "http://{host}/files/..%2fsecret.txt", "/other/../files/inside.txt", "/./files/inside.txt", "/files/inside.txt/..",
        "/%2e%2e/files/inside.txt", "/files/.millrace./uploads", "/files/.millrace%20/uploads", "/files/.millrace%3a%3a$DATA",
        "/files/a%5c..%5c..%5csecret.txt", "/files/a\\..\\b", "/files/a%5c.Millrace%5clock",
    ];

    private static readonly string[] RefusedAsNotPortable =
    [
        "/files/a%5cb", "/files/a\\b", "/files/a%0ab", "/files/a%0d%0ab", "/files/a%09", "/files/a%7f", "/files/a%c2%85", "/files/a%1b[31m",
        "/files/c:/windows", "/files/c%3a/windows", "/files/a:stream", "/files/CON", "/files/nul.txt", "/files/x/com1", "/files/lpt9.log",
        "/files/a.", "/files/a%20", "/files/a%20/b", "/files/a*", "/files/a%3fb", "/files/a%22b", "/files/a%3cb", "/files/a|b",
    ];

    private readonly TemporaryFolder _folder = new();

    protected override RunningServerOptions Options => new()
    {
        Root = Directory.CreateDirectory(_folder["root"]).FullName,
        Store = new LocalFileStoreOptions { Names = Names },
    };

    protected virtual AllowedNames Names => AllowedNames.Native;

    public void Dispose()
    {
        _folder.Dispose();
        GC.SuppressFinalize(this);
    }

    public static TheoryData<string> Methods { get; } = new("GET", "HEAD", "PUT", "DELETE");

    [Theory, MemberData(nameof(Methods))]
    public async Task Invalid_names_are_refused_for_every_method(string method)
    {
        string outside = _folder.Write("secret.txt", Secret);
        await Server.WriteAsync("inside.txt", "inside"u8.ToArray());
        foreach (string pattern in (string[])[.. Refused, .. Names == AllowedNames.Portable || OperatingSystem.IsWindows() ? RefusedAsNotPortable : []])
        {
            await CheckAsync(method, pattern.Replace("{host}", Server.Address.Authority));
        }

        Assert.Equal(Secret, await File.ReadAllTextAsync(outside));
        Assert.Equal(["inside.txt"], Server.VisibleFiles());
        Assert.Empty(Server.Complaints);
    }

    [Theory]
    [InlineData("/files/inside.txt")]
    [InlineData("/files/%69nside.txt")]
    [InlineData("/FILES/inside.txt")]
    [InlineData("/%66iles/inside.txt")]
    [InlineData("http://{host}/files/inside.txt")]
    [InlineData("/files/inside.txt?download=../x")]
    public async Task Valid_name_is_found_in_every_encoding(string target)
    {
        await Server.WriteAsync("inside.txt", "inside"u8.ToArray());
        RawResponse response = await SendAsync("GET", target.Replace("{host}", Server.Address.Authority));
        Assert.Equal(200, response.Status);
        Assert.Equal("inside", response.Body);
    }

    [Theory]
    [InlineData("..a/b..c/...d")]
    [InlineData("Übergrößenträger/日本語/🙂.txt")]
    [InlineData("with space/and+plus&100%.txt")]
    [InlineData("a%20b")]
    [InlineData("a#b;c=d,e'f")]
    [InlineData(".hidden")]
    public async Task Name_of_any_letters_round_trips(string text)
    {
        string path = $"files/{TransferName.Parse(text).ToEncoded()}";
        await SendAsync(HttpMethod.Put, path, new ByteArrayContent([1, 2, 3])).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal([text], Server.VisibleFiles());
        Assert.Equal([1, 2, 3], await Client.GetByteArrayAsync(Server.Url(path)));
    }

    private async Task CheckAsync(string method, string target)
    {
        RawResponse response = await SendAsync(method, target);
        string answer = $"{method} {target}: {response.Head}\n{response.Body}";
        Assert.True(response.Status is >= 400 and < 500, answer);
        Assert.DoesNotContain(Secret, response.Body);

        // Kestrel refuses malformed HTTP, without a body.
        bool isKestrels = response.Status == 400 && response.Head.Contains("Content-Length: 0\r\n", StringComparison.Ordinal);
        Assert.True(
            isKestrels || response.Head.Contains($"Content-Type: {ErrorDocument.MediaType}", StringComparison.Ordinal), answer);
    }

    private Task<RawResponse> SendAsync(string method, string target) => RawConnection.ExchangeAsync(
        Server.Address,
        $"{method} {target} HTTP/1.1\r\nHost: {Server.Address.Authority}\r\nConnection: close\r\n"
        + (method == "PUT" ? "Content-Length: 4\r\n\r\nevil" : "\r\n"));
}

/// <summary>The same for a store that takes portable names only.</summary>
public sealed class PortableFileNameTests : FileNameTests
{
    protected override AllowedNames Names => AllowedNames.Portable;
}
