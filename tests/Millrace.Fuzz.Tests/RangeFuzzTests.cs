using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.RegularExpressions;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// The field <c>Range</c> against a second reading of RFC 9110, section 14, in arbitrary precision: which bytes come, and that
/// they are the file's.
/// </summary>
public sealed partial class RangeFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private const int Length = 1000; // of a.bin

    [Fact]
    public Task Server_sends_the_bytes_that_were_asked_for() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            string field = random.Next(3) == 0
                ? Mutation.Change(random, Field(random)).Replace("\r", "", StringComparison.Ordinal).Replace("\n", "", StringComparison.Ordinal)
                : Field(random);
            byte[] request = Mutation.Latin(
                $"GET /files/a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: {field}\r\n\r\n");
            input.Add(request);
            byte[] response = await server.ExchangeAsync(random, request, whole: true);
            string text = Encoding.Latin1.GetString(response);
            int status = FuzzedServer.Status(response);
            int body = text.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4;
            if (field.Contains('\0', StringComparison.Ordinal))
            {
                return; // Kestrel refuses it before anyone reads the field.
            }

            if (status == 431 && field.Length > 32_000)
            {
                return; // All fields together have at most 32 KiB.
            }

            if (Single(field) is { } range)
            {
                int expected = range.First < 0 ? 416 : 206;
                Assert.True(status == expected, $"{status} instead of {expected} for {field}");
                if (expected == 206)
                {
                    Assert.Equal(Pattern.Of(range.Count, range.First), response[body..]);
                    Assert.Contains($"Content-Range: bytes {range.First}-{range.First + range.Count - 1}/{Length}\r\n", text, StringComparison.Ordinal);
                }
            }
            else if (status == 206)
            {
                Assert.True(AreRight(text), text);
            }
            else
            {
                Assert.True(status is 200 or 400 or 416, $"{status} for {field}");
                Assert.True(status != 200 || response.AsSpan(body).SequenceEqual(Pattern.Of(Length)), text);
            }
        },
        server.CheckAsync);

    private static string Field(Random random)
    {
        int count = random.Next(4) == 0 ? random.Next(2, 5) : 1;
        return "bytes=" + string.Join(random.Next(2) == 0 ? "," : ", ", Enumerable.Range(0, count).Select(_ => random.Next(4) switch
        {
            0 => $"{Numeral(random)}-",
            1 => $"-{Numeral(random)}",
            _ => $"{Numeral(random)}-{Numeral(random)}",
        }));
    }

    private static string Numeral(Random random) => random.Next(4) switch
    {
        0 => random.GetItems(
            [
                "0", "999", "1000", "1001", "00000000000000000000000000007", "9223372036854775807", "9223372036854775808",
                "18446744073709551615", "18446744073709551616", "340282366920938463463374607431768211456",
            ],
            1)[0],
        1 => new string('9', random.Next(1, 60)),
        _ => random.Next(1200).ToString(CultureInfo.InvariantCulture),
    };

    // Where the only range begins, or -1 when no byte of the file is in it; null when the field has several or cannot be read.
    private static (int First, int Count)? Single(string field)
    {
        Match match = SingleRange().Match(field);
        if (!match.Success || match.Groups["first"].Length + match.Groups["last"].Length == 0)
        {
            return null;
        }

        if (match.Groups["first"].Length == 0)
        {
            int last = (int)BigInteger.Min(Length, Parse(match.Groups["last"]));
            return last == 0 ? (-1, 0) : (Length - last, last);
        }

        BigInteger first = Parse(match.Groups["first"]);
        BigInteger end = match.Groups["last"].Length == 0 ? Length - 1 : BigInteger.Min(Length - 1, Parse(match.Groups["last"]));
        if (match.Groups["last"].Length > 0 && Parse(match.Groups["last"]) < first)
        {
            return null; // Invalid, not unsatisfiable (section 14.1.2).
        }

        return first >= Length ? (-1, 0) : ((int)first, (int)(end - first) + 1);
    }

    private static BigInteger Parse(Group digits) => BigInteger.Parse(digits.ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture);

    // Each part has its range.
    private static bool AreRight(string response)
    {
        MatchCollection heads = PartHead().Matches(response);
        return heads.Count > 0 && heads.All(head =>
        {
            int first = int.Parse(head.Groups["first"].ValueSpan, CultureInfo.InvariantCulture);
            int count = int.Parse(head.Groups["last"].ValueSpan, CultureInfo.InvariantCulture) - first + 1;
            int start = response.IndexOf("\r\n\r\n", head.Index, StringComparison.Ordinal) + 4;
            return start + count <= response.Length
                && Encoding.Latin1.GetBytes(response, start, count).AsSpan().SequenceEqual(Pattern.Of(count, first));
        });
    }

    [GeneratedRegex(@"\Abytes=[ \t]*(?<first>[0-9]*)-(?<last>[0-9]*)[ \t]*\z", RegexOptions.IgnoreCase)]
    private static partial Regex SingleRange();

    [GeneratedRegex(@"Content-Range: bytes (?<first>[0-9]+)-(?<last>[0-9]+)/1000\r\n")]
    private static partial Regex PartHead();
}
