using System.Buffers.Text;

namespace Millrace.Lab.Data;

/// <summary>
/// A text file of a million taxi rides as meters report them, to be read by lines and to be compressed: short fields, few
/// distinct words, and numbers that go together. The same bytes on every machine and with every runtime.
/// </summary>
internal static class TaxiFareCsv
{
    public const long Bytes = 23_898_406;

    /// <summary>Lines of the file, the header among them; every one ends with \n.</summary>
    public const int Lines = Rows + 1;
    public const string Sha256 = "4dab4a0ddd9fc0316b749d9f8fa7a0f973e4d29684498cd69a36ee8dafb380f8";

    /// <summary>Lines of the longer file, of which this one is the beginning, that is scanned by several readers.</summary>
    internal const int ManyLines = 5_570_000;
    internal const long ManyBytes = 134_184_209;
    internal const int FirstLines = 1000;
    internal const long FirstBytes = 24_061;
    private const int Rows = 992_000;
    private const ulong Seed = 1;

    // These make it compress as such a file does: gzip at its fastest leaves a quarter, 5.7 MB.
    private const int BatchRows = 500;
    private const int UsualPercent = 79;
    private const int UsualRides = 16;
    private const int CardPercent = 80;
    private const int Places = 1024;
    private const int BetweenUsual = 48;
    private const int Speeds = 256;
    private const int UsualSpeeds = 8;
    private const int LongestRow = 64;
    private const int PieceBytes = 64 * 1024;

    /// <summary>Writes the file, in pieces of up to 64 KiB.</summary>
    /// <param name="lines">How many lines, at least 1. Rides go on after the last one of the file.</param>
    public static void Write(WriteBytes write, int lines = Lines)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(lines, 1);
        byte[] piece = new byte[PieceBytes];
        int used = Put(piece, 0, "vendor_id,rate_code,passenger_count,trip_time_in_secs,trip_distance,payment_type,fare_amount\n"u8);
        var random = new SplitMix64(Seed);
        for (int row = 0; row < lines - 1; row++)
        {
            if (used > PieceBytes - LongestRow)
            {
                write(piece.AsSpan(0, used));
                used = 0;
            }

            used = PutRow(piece, used, row, ref random);
        }

        write(piece.AsSpan(0, used));
    }

    private static int PutRow(byte[] piece, int at, int row, ref SplitMix64 random)
    {
        // Meters send their rows in batches, as rows of one vendor after the other's.
        bool coarse = row / BatchRows % 2 == 0;

        // Many rides are between the same few places; the others are anywhere.
        bool usual = random.Below(100) < UsualPercent;
        int ride = usual ? random.Below(UsualRides) : 0;
        int hundredths = Distance(usual ? BetweenUsual * ride : random.Below(Places));
        int seconds = Duration(hundredths, usual ? Speeds / UsualSpeeds * (ride % UsualSpeeds) : random.Below(Speeds));

        // One vendor has seconds and tenths of a mile, the other whole minutes and hundredths.
        if (coarse)
        {
            hundredths = (hundredths / 10 * 10) + 10;
        }
        else
        {
            seconds = (seconds / 60 * 60) + 60;
        }

        bool toAirport = hundredths > 1500;
        at = Put(piece, at, coarse ? "CMT,"u8 : "VTS,"u8);
        at = Put(piece, at, toAirport ? "2,"u8 : "1,"u8);
        at = PutNumber(piece, at, Passengers(random.Below(100)), (byte)',');
        at = PutNumber(piece, at, seconds, (byte)',');
        at = PutHundredths(piece, at, hundredths, (byte)',');
        at = Put(piece, at, random.Below(100) < CardPercent ? "CRD,"u8 : "CSH,"u8);
        return PutHundredths(piece, at, 50 * (toAirport ? 104 : HalfDollars(hundredths, seconds)), (byte)'\n');
    }

    // Most rides are short: the cube of a number that is evenly distributed, from 0.5 to 18 miles.
    private static int Distance(long place) => 50 + (int)(1750 * place * place * place >> 30);

    // Between 8 and 20 miles an hour, and a minute to get in.
    private static int Duration(int hundredths, int slowness) => 60 + (hundredths * (180 + slowness) / 100);

    private static int Passengers(int percentile) => percentile switch
    {
        < 84 => 1,
        < 94 => 2,
        < 96 => 3,
        _ => 5,
    };

    // 2.50 to begin with, 0.50 for each fifth of a mile, and 0.50 for every two minutes.
    private static int HalfDollars(int hundredths, int seconds) => 5 + (hundredths / 20) + (seconds / 120);

    private static int Put(byte[] piece, int at, ReadOnlySpan<byte> text)
    {
        text.CopyTo(piece.AsSpan(at));
        return at + text.Length;
    }

    private static int PutNumber(byte[] piece, int at, int number, byte end)
    {
        _ = Utf8Formatter.TryFormat(number, piece.AsSpan(at), out int written);
        piece[at + written] = end;
        return at + written + 1;
    }

    // Without zeros at the end, as in 3.8 and 7.
    private static int PutHundredths(byte[] piece, int at, int hundredths, byte end)
    {
        at = PutNumber(piece, at, hundredths / 100, (byte)'.') - 1;
        int rest = hundredths % 100;
        if (rest > 0)
        {
            piece[++at] = (byte)('0' + (rest / 10));
            if (rest % 10 > 0)
            {
                piece[++at] = (byte)('0' + (rest % 10));
            }

            at++;
        }

        piece[at] = end;
        return at + 1;
    }
}

/// <summary>
/// Numbers that are the same on every machine and with every runtime, which those of <see cref="Random"/> with a seed are
/// not promised to be. Not thread-safe.
/// </summary>
/// <remarks>
/// SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, with the constants of
/// https://prng.di.unimi.it/splitmix64.c.
/// </remarks>
internal struct SplitMix64(ulong seed)
{
    private ulong _state = seed;

    public ulong Next()
    {
        ulong z = unchecked(_state += 0x9E3779B97F4A7C15);
        z = unchecked((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9);
        z = unchecked((z ^ (z >> 27)) * 0x94D049BB133111EB);
        return z ^ (z >> 31);
    }

    public int Below(int limit) => (int)((Next() >> 32) * (ulong)limit >> 32);
}
