using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Deltas with right and wrong instructions, cut anywhere: the server answers, keeps the version that is there, and publishes nothing whose
/// digest is not the declared one.
/// </summary>
public sealed partial class DeltaFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private const int Bytes = 6000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Delta_makes_the_declared_file_or_none(bool tus) => Fuzzing.RunAsync(
        async (random, input) =>
        {
            string name = $"delta-{random.Next()}.bin";
            string path = Path.Combine(server.Served, name);
            byte[] old = Pattern.Of(Bytes);
            await File.WriteAllBytesAsync(path, old);
            (byte[] delta, byte[] content) = Make(random, old);
            Match tag = Tag().Match(await SendAsync(random, input, Request("HEAD", $"/files/{name}", [])));
            Assert.True(tag.Success);
            string base64 = Convert.ToBase64String(Encoding.UTF8.GetBytes(name));
            string digest = $"Repr-Digest: sha-256=:{Convert.ToBase64String(SHA256.HashData(content))}:\r\n";
            string created = await SendAsync(random, input, tus
                ? Request("POST", "/uploads", [], "Tus-Resumable: 1.0.0\r\n", $"Upload-Length: {content.Length}\r\n", $"Upload-Metadata: filename {base64}\r\n", digest)
                : Request("PUT", $"/files/{name}", [], "Upload-Complete: ?0\r\n", $"Upload-Length: {content.Length}\r\n", digest));
            Match location = Location().Match(created);
            Assert.True(location.Success, created);

            byte[] sent = random.Next(3) == 0 ? delta : Damage(random, delta);
            string patch = Request(
                "PATCH", location.Groups["path"].Value, sent,
                tus ? "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n" : "Upload-Complete: ?1\r\nContent-Type: application/partial-upload\r\n",
                "Upload-Offset: 0\r\n",
                $"Upload-Delta-Base: {(random.Next(10) == 0 ? "\"other\"" : tag.Groups["tag"].Value)}\r\n");
            bool whole = random.Next(4) != 0;
            string answer = await SendAsync(random, input, whole ? patch : patch[..random.Next(patch.Length)], whole);

            byte[] now = await File.ReadAllBytesAsync(path);
            Assert.True(now.AsSpan().SequenceEqual(old) || now.AsSpan().SequenceEqual(content), $"{name} is neither the old file nor the declared one.");
            Assert.False(answer.StartsWith("HTTP/1.1 5", StringComparison.Ordinal), answer);
            File.Delete(path);
        },
        server.CheckAsync);

    private static (byte[] Delta, byte[] Content) Make(Random random, byte[] old)
    {
        var delta = new MemoryStream();
        var content = new MemoryStream();
        delta.WriteByte(1);
        long end = 0;
        for (int count = random.Next(1, 6); count > 0; count--)
        {
            if (random.Next(2) == 0)
            {
                byte[] literal = new byte[random.Next(1, 300)];
                random.NextBytes(literal);
                Number(delta, (ulong)literal.Length << 1);
                delta.Write(literal);
                content.Write(literal);
                continue;
            }

            int length = random.Next(512, 2000);
            int offset = random.Next(old.Length - length);
            Number(delta, ((ulong)length << 1) | 1);
            long distance = offset - end;
            Number(delta, (ulong)((distance << 1) ^ (distance >> 63)));
            content.Write(old, offset, length);
            end = offset + length;
        }

        return (delta.ToArray(), content.ToArray());
    }

    private static byte[] Damage(Random random, byte[] delta)
    {
        byte[] damaged = [.. delta];
        switch (random.Next(5))
        {
            case 0:
                return damaged[..random.Next(damaged.Length)];
            case 1:
                return [.. damaged, .. damaged.AsSpan(random.Next(damaged.Length))];
            case 2:
                byte[] huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, (byte)random.Next(256), (byte)random.Next(4)];
                int at = random.Next(1, damaged.Length + 1);
                return [.. damaged.AsSpan(0, at), .. huge, .. damaged.AsSpan(at)];
            case 3:
                return [1, .. Enumerable.Repeat<byte[]>([3, 0], random.Next(1, 3000)).SelectMany(static tiny => tiny)];
            default:
                for (int changes = random.Next(1, 4); changes > 0; changes--)
                {
                    damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
                }

                return damaged;
        }
    }

    private static void Number(MemoryStream stream, ulong value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            stream.WriteByte((byte)(value | 0x80));
        }

        stream.WriteByte((byte)value);
    }

    private async Task<string> SendAsync(Random random, List<byte[]> input, string request, bool whole = true)
    {
        byte[] bytes = Mutation.Latin(request);
        input.Add(bytes);
        return Encoding.Latin1.GetString(await server.ExchangeAsync(random, bytes, whole: whole));
    }

    private static string Request(string method, string path, byte[] body, params string[] fields) => string.Create(
        CultureInfo.InvariantCulture,
        $"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{string.Concat(fields)}Content-Length: {body.Length}\r\n\r\n{Encoding.Latin1.GetString(body)}");

    [GeneratedRegex(@"\r\nLocation: (?:http://[^/]*)?(?<path>/uploads/[^\r]+)\r\n", RegexOptions.IgnoreCase)]
    private static partial Regex Location();

    [GeneratedRegex(@"\r\nETag: (?<tag>""[^""]+"")\r\n", RegexOptions.IgnoreCase)]
    private static partial Regex Tag();
}
