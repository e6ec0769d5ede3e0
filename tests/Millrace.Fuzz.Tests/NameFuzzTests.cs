using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Names in any encoding: a stored file is read back under the same name, is the only file that has changed, and lies in the
/// folder.
/// </summary>
public sealed class NameFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private static readonly string[] _names =
    [
        "a", "sub/x", "sub%2Fx", "..", "../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "%252e%252e/secret.txt", "sub/../../secret.txt",
        ".millrace/tokens.json", "%2emillrace/tokens.json", ".MILLRACE/x", "MILLRA~1/x", ".millrace-1", "n%c3%a4h", "na%cc%88h", "%f0%9f%92%a9", "%ed%a0%80",
        "%c0%ae%c0%ae/x", "CON", "nul.txt", "x.", "x%20", "a%00b", "a%5cb", "a:b", "%ff", "a%0d%0ab", "sub/deeper/../y", "//x", "x//y", "~", "a+b",
        "-rf", "$(x)", "'", "\u00e4", "a;b", "a?b", "a#b", "%", "%4", "%zz",
    ];

    [Fact]
    public Task Stored_file_has_its_name_and_no_other() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            string name = Mutation.Change(random, random.GetItems(_names, 1)[0])
                .Replace("\r", "", StringComparison.Ordinal).Replace("\n", "", StringComparison.Ordinal).Replace(' ', '_');
            string content = $"content {random.Next()}";
            byte[] put = Mutation.Latin(
                $"PUT /files/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {content.Length}\r\n\r\n{content}");
            input.Add(put);
            int stored = FuzzedServer.Status(await server.ExchangeAsync(random, put, whole: true));
            string[] with = [.. Directory.EnumerateFiles(server.Served, "*", SearchOption.AllDirectories).Where(file => Has(file, content))];
            if (stored is 201 or 204)
            {
                Assert.Single(with);
                string response = Encoding.Latin1.GetString(
                    await server.ExchangeAsync(random, Mutation.Latin($"GET /files/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), whole: true));
                Assert.EndsWith("\r\n\r\n" + content, response, StringComparison.Ordinal);
                File.Delete(with[0]);
            }
            else
            {
                Assert.Empty(with);
            }
        },
        server.CheckAsync);

    private static bool Has(string file, string content)
    {
        try
        {
            return new FileInfo(file).Length == content.Length && File.ReadAllText(file) == content;
        }
        catch (IOException)
        {
            return false; // One of the store's own, which has gone meanwhile.
        }
    }
}
