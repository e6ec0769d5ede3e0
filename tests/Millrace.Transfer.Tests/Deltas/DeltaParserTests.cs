using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>A delta comes from others: whatever is in it, it makes a file within its length or is refused.</summary>
public sealed class DeltaParserTests
{
    private static readonly byte[] Old = new byte[10_000];

    public static TheoryData<string, string> Hostile => new()
    {
        { "another version", "02" },
        { "a run of no zeros", "01 00 00" },
        { "a short run of zeros", "01 00 FF 1F" },
        { "a run of more zeros than the file has", "01 00 A1 9C 01" },
        { "a run of 2^63 zeros", "01 00 80 80 80 80 80 80 80 80 80 01" },
        { "a run of 2^64 - 1 zeros", "01 00 FF FF FF FF FF FF FF FF FF 01" },
        { "a reference to no bytes", "01 01 00" },
        { "a reference before the beginning", "01 81 10 01" },
        { "a reference beyond the end", "01 81 10 C0 B8 02" },
        { "a reference longer than the file", "01 FF FF 03 00" },
        { "a distance that overflows", "01 81 10 FF FF FF FF FF FF FF FF FF 01" },
        { "the other distance that overflows", "01 81 10 FE FF FF FF FF FF FF FF FF 01" },
        { "a tiny reference", "01 03 00" },
        { "a number of eleven bytes", "01 80 80 80 80 80 80 80 80 80 80 01" },
        { "a number of 65 bits", "01 FF FF FF FF FF FF FF FF FF 02" },
    };

    [Theory]
    [MemberData(nameof(Hostile))]
    public void Malformed_delta_is_refused(string what, string hex)
    {
        byte[] delta = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        foreach (int piece in (int[])[1, 2, int.MaxValue])
        {
            var refusal = Assert.Throws<TransferException>(() => DeltaFile.Apply(delta, Old, 20_000, piece));
            Assert.True(refusal.Error is TransferError.InvalidRequest or TransferError.TooLarge, what);
        }
    }

    [Theory]
    [InlineData("01 FE FF FF FF FF FF FF FF FF 01")]
    [InlineData("01 FF FF FF FF FF FF FF FF FF 01 00")]
    [InlineData("01 81 9C 01 00 81 9C 01 00 81 9C 01 9F 9C 01")]
    public void Delta_of_more_than_the_file_may_have_is_refused(string hex)
    {
        byte[] delta = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        var refusal = Assert.Throws<TransferException>(() => DeltaFile.Apply(delta, new byte[20_000], 25_000));
        Assert.Equal(TransferError.TooLarge, refusal.Error);
    }

    [Fact]
    public void Short_reference_to_the_end_is_allowed()
    {
        byte[] delta = new byte[1 + DeltaFormat.MaxInstructionBytes];
        delta[0] = DeltaFormat.Version;
        int bytes = 1 + DeltaFormat.WriteCopy(delta.AsSpan(1), 3, Old.Length - 3);
        Assert.Equal(3, DeltaFile.Apply(delta[..bytes], Old, 3).Length);
    }

    [Fact]
    public void Short_run_of_zeros_at_the_end_of_the_file_is_allowed()
    {
        byte[] delta = [DeltaFormat.Version, 0, 3];
        Assert.Equal(new byte[3], DeltaFile.Apply(delta, Old, 3));
    }

    [Fact]
    public void Any_bytes_make_no_more_than_there_is_room_for() =>
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Soak.Times(5000, 1_000_000)),
            Prop.ForAll(
                Gen.Elements<byte>(0, 1, 2, 3, 0x10, 0x7F, 0x80, 0x81, 0xC0, 0xFF).ArrayOf().ToArbitrary(),
                Gen.Choose(0, 3000).ToArbitrary(),
                static (delta, room) =>
                {
                    long made = 0;
                    var parser = new DeltaParser(2000, room);
                    ReadOnlySpan<byte> bytes = [DeltaFormat.Version, .. delta];
                    try
                    {
                        while (parser.Next(ref bytes) is var token and not DeltaToken.More)
                        {
                            if (token == DeltaToken.Literal)
                            {
                                made += parser.Literal;
                                bytes = bytes[parser.Literal..];
                            }
                            else
                            {
                                made += parser.Length;
                                Assert.InRange(parser.Offset, 0, 2000 - parser.Length);
                            }
                        }
                    }
                    catch (TransferException exception)
                    {
                        Assert.True(exception.Error is TransferError.InvalidRequest or TransferError.TooLarge);
                    }

                    Assert.InRange(made, 0, room);
                }));
}
