using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;

namespace Millrace.Lab.Tests.Data;

public sealed class TaxiFareCsvTests
{
    private static readonly byte[] Content = Make();

    [Fact]
    public void Length_and_hash_match_the_stated_ones()
    {
        Assert.Equal(TaxiFareCsv.Bytes, Content.Length);
        Assert.Equal(TaxiFareCsv.Sha256, Convert.ToHexStringLower(SHA256.HashData(Content)));
    }

    [Fact]
    public void Lines_are_complete_and_as_many_as_stated()
    {
        Assert.Equal(TaxiFareCsv.Lines, Content.AsSpan().Count((byte)'\n'));
        Assert.Equal((byte)'\n', Content[^1]);
        Assert.DoesNotContain((byte)'\r', Content);
    }

    [Fact]
    public void Fastest_gzip_compresses_to_a_quarter()
    {
        using var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(Content);
        }

        Assert.InRange(compressed.Length, 5_600_000, 5_800_000);
    }

    [Fact]
    public void Rows_are_plausible_rides()
    {
        using var reader = new StreamReader(new MemoryStream(Content), Encoding.ASCII);
        Assert.Equal("vendor_id,rate_code,passenger_count,trip_time_in_secs,trip_distance,payment_type,fare_amount", reader.ReadLine());
        var vendors = new HashSet<string>();
        while (reader.ReadLine() is { } line)
        {
            string[] fields = line.Split(',');
            Assert.Equal(7, fields.Length);
            vendors.Add(fields[0]);
            double miles = double.Parse(fields[4], CultureInfo.InvariantCulture);
            double hours = int.Parse(fields[3], CultureInfo.InvariantCulture) / 3600.0;
            double fare = double.Parse(fields[6], CultureInfo.InvariantCulture);
            bool plausible = fields[1] is "1" or "2" && fields[2] is "1" or "2" or "3" or "5" && fields[5] is "CRD" or "CSH"
                && miles is >= 0.5 and <= 18.1 && miles / hours is > 4 and < 25 && fare is >= 3 and <= 100 && fare * 2 % 1 == 0;
            Assert.True(plausible, line);
        }

        Assert.Equal(["CMT", "VTS"], vendors.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Numbers_match_the_published_generator()
    {
        // The first ones for the seed 1234567, as they are commonly given to check an implementation of SplitMix64.
        var random = new SplitMix64(1234567);
        ulong[] first = [random.Next(), random.Next(), random.Next()];
        ulong[] expected = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        Assert.Equal(expected, first);
    }

    private static byte[] Make()
    {
        using var stream = new MemoryStream();
        TaxiFareCsv.Write(stream.Write);
        return stream.ToArray();
    }
}
