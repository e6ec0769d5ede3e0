using FsCheck;
using FsCheck.Fluent;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Whatever stands in a header, it is answered, and with the bytes that it means.</summary>
/// <remarks>The same cases in every run; <c>MILLRACE_SOAK=1</c> tries many more, new ones each time.</remarks>
public sealed class RangePropertyTests : ServerTest
{
    private const int Length = 200;

    private static readonly byte[] Bytes = Content.Of(Length);

    private static readonly string[] Fields =
    [
        "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Accept-Encoding",
        "Accept", "Want-Repr-Digest", "Content-Range", "Content-Encoding", "Content-Digest", "Repr-Digest", "Trailer",
    ];

    private static readonly Gen<string> Item = Gen.OneOf(
        from a in Gen.Choose(0, Length + 50)
        from b in Gen.Choose(0, Length + 50)
        select $"{a}-{b}",
        from a in Gen.Choose(0, Length + 50)
        select $"{a}-",
        from a in Gen.Choose(0, Length + 50)
        select $"-{a}");

    /// <summary>Pieces of which headers are made, and what breaks them.</summary>
    private static readonly Gen<string> Text = Gen.ArrayOf(Gen.Elements(
        "bytes", "=", "-", ",", ";", "q=", "0", "1.5", "9", "99999999999999999999", "\"", "W/", "*", "gzip", "br", "identity",
        "sha-256", ":", "AAAA", " ", "\t", "/", "text/html", "Sun, 06 Nov 1994 08:49:37 GMT", "(", "\\", "%", "é", "\u007f"))
        .Select(static pieces => string.Concat(pieces));

    [Fact]
    public void Any_satisfiable_set_of_ranges_gives_the_bytes_that_a_simple_model_gives() =>
        Prop.ForAll(
            Gen.NonEmptyListOf(Item).Select(static items => items.Take(RangeSelection.MaxRanges).ToArray()).ToArbitrary(),
            static items =>
            {
                (bool valid, SortedSet<int> wanted) = Model(items);
                bool ranged = RangeSelection.TrySelect(
                    new StringValues($"bytes={string.Join(", ", items)}"), Length, out IReadOnlyList<ByteRange> ranges);
                Assert.Equal(valid, ranged);
                var sent = ranges.SelectMany(static r => Enumerable.Range((int)r.Offset, (int)r.Length)).ToList();
                Assert.Equal(sent.Count, sent.Distinct().Count());
                Assert.Equal(valid ? wanted : [], sent.Order());
                Assert.All(ranges, static range => Assert.InRange(range.Length, 1, Length - range.Offset));
            }).Check(Configuration(2000, 100_000));

    [Fact]
    public async Task Multipart_response_has_the_selected_ranges()
    {
        await Server.WriteAsync("a.txt", Bytes);
        Prop.ForAll(
            Gen.NonEmptyListOf(Item).Select(static items => items.Take(RangeSelection.MaxRanges).ToArray()).ToArbitrary(),
            items => CheckAsync($"bytes={string.Join(',', items)}").GetAwaiter().GetResult())
            .Check(Configuration(150, 5000));
    }

    [Fact]
    public async Task Any_header_value_is_answered()
    {
        await Server.WriteAsync("a.txt", Content.Text(5000));
        Gen<(string, string, string, string)> requests =
            from method in Gen.Elements("GET", "HEAD", "PUT", "DELETE")
            from target in Gen.Elements("a.txt", "", "none", "a.txt?archive=zip")
            from field in Gen.Elements(Fields)
            from value in Text
            select (method, target, field, value);
        Prop.ForAll(requests.ToArbitrary(), request => AnyAsync(request).GetAwaiter().GetResult())
            .Check(Configuration(400, 20_000));
        Assert.Empty(Server.Complaints);
    }

    private static (bool Valid, SortedSet<int> Wanted) Model(string[] items)
    {
        var wanted = new SortedSet<int>();
        foreach (string item in items)
        {
            string[] ends = item.Split('-');
            int last = ends[1].Length == 0 ? Length - 1 : int.Parse(ends[1]);
            if (ends[0].Length == 0)
            {
                wanted.UnionWith(Enumerable.Range(0, Length).Reverse().Take(last));
                continue;
            }

            int first = int.Parse(ends[0]);
            if (first > last && ends[1].Length > 0)
            {
                // RFC 9110, section 14.1.1: such a set is invalid as a whole.
                return (false, wanted);
            }

            wanted.UnionWith(Enumerable.Range(0, Length).Where(at => at >= first && at <= last));
        }

        return (true, wanted);
    }

    private async Task CheckAsync(string field)
    {
        bool ranged = RangeSelection.TrySelect(new StringValues(field), Length, out IReadOnlyList<ByteRange> ranges);
        using HttpResponseMessage response = await GetAsync("files/a.txt", ("Range", field));
        byte[] body = await response.Content.ReadAsByteArrayAsync();
        if (!ranged)
        {
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.Equal(Bytes, body);
        }
        else if (ranges.Count == 0)
        {
            Assert.Equal(HttpStatusCode.RequestedRangeNotSatisfiable, response.StatusCode);
        }
        else if (ranges.Count == 1)
        {
            Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
            Assert.Equal(Bytes.AsSpan((int)ranges[0].Offset, (int)ranges[0].Length).ToArray(), body);
        }
        else
        {
            Assert.Equal(ranges, Multipart.Parse(response, body, "text/plain", Bytes));
        }
    }

    private async Task AnyAsync((string Method, string Target, string Field, string Value) request)
    {
        RawResponse response = await RawConnection.ExchangeAsync(
            Server.Address,
            $"{request.Method} /files/{request.Target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{request.Field}: {request.Value}\r\n"
            + (request.Method == "PUT" ? "Content-Length: 1\r\n\r\nx" : "\r\n"));
        Assert.True(response.Status is >= 200 and < 500, $"{request}: {response.Head}");
    }

    private static Config Configuration(int usually, int soaking)
    {
        Config config = Config.QuickThrowOnFailure.WithMaxTest(usually).WithReplay(20260101, 1);
        return Soak.Asked
            ? config.WithMaxTest(soaking).WithNoReplay()
            : config;
    }
}
