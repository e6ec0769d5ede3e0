using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Sequences of requests of tus and of the draft, with right and wrong offsets, lengths and digests: an upload never has more
/// bytes than were sent, and a published file is whole and has every byte where it belongs.
/// </summary>
public sealed partial class UploadFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private const int Most = 4000; // bytes of a file

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Published_file_is_what_was_sent(bool tus) => Fuzzing.RunAsync(
        async (random, input) =>
        {
            int length = random.Next(Most);
            string name = $"upload-{random.Next()}.bin";
            string created = await SendAsync(random, input, tus ? TusCreation(random, name, length) : DraftCreation(random, name, length));
            if (Location().Match(created) is { Success: true } location)
            {
                for (int steps = random.Next(1, 8); steps > 0; steps--)
                {
                    await ContinueAsync(random, input, tus, location.Groups["path"].Value, length);
                }
            }

            string file = Path.Combine(server.Served, name);
            if (File.Exists(file))
            {
                byte[] content = await File.ReadAllBytesAsync(file);
                Assert.True(content.AsSpan().SequenceEqual(Pattern.Of(content.Length)), $"{name} has {content.Length} wrong bytes.");
                Assert.True(content.Length == length || _lengthDamaged, $"{name} has {content.Length} bytes instead of {length}.");
                File.Delete(file);
            }
        },
        server.CheckAsync);

    // Whether the declared length may differ from the file's, because the field was damaged.
    private bool _lengthDamaged;

    private string TusCreation(Random random, string name, int length)
    {
        string metadata = Convert.ToBase64String(Encoding.UTF8.GetBytes(name));
        bool deferred = random.Next(4) == 0;
        _lengthDamaged = deferred;
        int first = random.Next(3) == 0 ? random.Next(length + 1) : 0;
        return Request(
            "POST", "/uploads", first > 0 ? Pattern.Of(first) : [],
            Field(random, "Tus-Resumable", "1.0.0"),
            deferred ? Field(random, "Upload-Defer-Length", "1") : LengthField(random, length),
            Field(random, "Upload-Metadata", $"filename {metadata}", keep: true),
            random.Next(6) == 0 ? Field(random, "Upload-Concat", "partial") : "",
            Checksum(random, Pattern.Of(first)),
            first > 0 ? "Content-Type: application/offset+octet-stream\r\n" : "");
    }

    private string DraftCreation(Random random, string name, int length)
    {
        _lengthDamaged = false;
        int first = random.Next(length + 1);
        bool complete = first == length;
        return Request(
            "PUT", $"/files/{name}", Pattern.Of(first),
            Completeness(random, complete),
            LengthField(random, length),
            random.Next(3) == 0 ? Field(random, "Upload-Draft-Interop-Version", random.Next(1, 12).ToString(CultureInfo.InvariantCulture)) : "",
            random.Next(3) == 0 ? Digest(random, "Repr-Digest", Pattern.Of(length)) : "",
            random.Next(3) == 0 ? Digest(random, "Content-Digest", Pattern.Of(first)) : "");
    }

    private async Task ContinueAsync(Random random, List<byte[]> input, bool tus, string path, int length)
    {
        string version = tus ? Field(random, "Tus-Resumable", "1.0.0") : "";
        string head = await SendAsync(random, input, Request("HEAD", path, [], version));
        Match at = Offset().Match(head);
        long offset = at.Success ? long.Parse(at.Groups["bytes"].ValueSpan, CultureInfo.InvariantCulture) : 0;
        Assert.InRange(offset, 0, 2 * Most);
        if (random.Next(12) == 0)
        {
            await SendAsync(random, input, Request("DELETE", path, [], version));
            return;
        }

        // Bytes always follow from the offset that is claimed: if the server took them anywhere else, the file would show it.
        long claimed = random.Next(5) == 0 ? random.Next(Most) : offset;
        int rest = (int)Math.Clamp(length - claimed, 0, Most);
        byte[] body = Pattern.Of(random.Next(3) == 0 ? rest : random.Next(rest + (random.Next(8) == 0 ? 100 : 1)), claimed);
        bool last = claimed + body.Length == length;
        string patch = Request(
            "PATCH", path, body, version, Field(random, "Upload-Offset", claimed.ToString(CultureInfo.InvariantCulture), keep: true),
            tus ? "Content-Type: application/offset+octet-stream\r\n" : "Content-Type: application/partial-upload\r\n",
            tus ? Checksum(random, body) : Completeness(random, last),
            tus && _lengthDamaged && last ? $"Upload-Length: {length}\r\n" : "");

        // Cut anywhere: the received bytes must be a beginning.
        bool whole = random.Next(4) != 0;
        await SendAsync(random, input, whole ? patch : patch[..random.Next(patch.Length)], whole);
    }

    private async Task<string> SendAsync(Random random, List<byte[]> input, string request, bool whole = true)
    {
        byte[] bytes = Mutation.Latin(request);
        input.Add(bytes);
        return Encoding.Latin1.GetString(await server.ExchangeAsync(random, bytes, whole: whole));
    }

    private static string Request(string method, string path, byte[] body, params string[] fields) =>
        $"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{string.Concat(fields)}Content-Length: {body.Length}\r\n\r\n"
        + Encoding.Latin1.GetString(body);

    // A field that the test relies on is right, missing or twice; any other may be damaged.
    private static string Field(Random random, string name, string value, bool keep = false) => random.Next(12) switch
    {
        0 when !keep => $"{name}: {Line(Mutation.Change(random, value))}\r\n",
        1 when !keep => "",
        2 => $"{name}: {value}\r\n{name}: {value}\r\n",
        3 => $"{name.ToUpperInvariant()}:{value}  \r\n",
        _ => $"{name}: {value}\r\n",
    };

    // The first drafts had another field with the opposite value.
    private static string Completeness(Random random, bool complete) => random.Next(3) == 0
        ? Field(random, "Upload-Incomplete", complete ? "?0" : "?1", keep: true)
        : Field(random, "Upload-Complete", complete ? "?1" : "?0", keep: true);

    private string LengthField(Random random, int length)
    {
        string right = $"Upload-Length: {length}\r\n";
        string field = Field(random, "Upload-Length", length.ToString(CultureInfo.InvariantCulture));
        _lengthDamaged |= !field.Trim().EndsWith($"{length}", StringComparison.Ordinal) || !field.Contains(right.Trim(), StringComparison.OrdinalIgnoreCase);
        return field;
    }

    private static string Checksum(Random random, byte[] body) => random.Next(5) switch
    {
        0 => Field(random, "Upload-Checksum", "sha256 " + Convert.ToBase64String(SHA256.HashData(body))),
        1 => Field(random, "Upload-Checksum", "sha256 " + Convert.ToBase64String(SHA256.HashData([1, 2, 3]))),
        _ => "",
    };

    private static string Digest(Random random, string name, byte[] content) =>
        Field(random, name, $"sha-256=:{Convert.ToBase64String(SHA256.HashData(content))}:");

    private static string Line(string value) =>
        value.Replace("\r", "", StringComparison.Ordinal).Replace("\n", "", StringComparison.Ordinal).Replace("\0", "", StringComparison.Ordinal);

    [GeneratedRegex(@"\r\nLocation: (?:http://[^/]*)?(?<path>/uploads/[^\r]+)\r\n", RegexOptions.IgnoreCase)]
    private static partial Regex Location();

    [GeneratedRegex(@"\r\nUpload-Offset: (?<bytes>[0-9]+)\r\n", RegexOptions.IgnoreCase)]
    private static partial Regex Offset();
}
