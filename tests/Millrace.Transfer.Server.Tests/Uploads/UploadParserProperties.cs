using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class UploadParserProperties
{
    private static readonly Config Quick = Config.QuickThrowOnFailure.WithMaxTest(2000);

    private static readonly string[] Pieces =
    [
        "filename", "name", " ", ",", ";", "d29ybGQ=", "=", "sha1", "sha256", "partial", "final;", "/uploads/",
        "0123456789abcdef0123456789abcdef", "http://x/", "?1", "?0", "?", "1", "999999999999999", "\0", "ä", "\ud800", "\t",
    ];

    [Fact]
    public void Any_text_parses_or_has_a_reason() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
        {
            ParsesOrIsRefused(() => TusMetadata.Parse(text));
            ParsesOrIsRefused(() => TusChecksum.Parse(text));
            ParsesOrIsRefused(() => TusConcat.Parse(text));
            Assert.True(StructuredField.TryParseBoolean(text, out bool flag) || !flag);
            Assert.True(StructuredField.TryParseCount(text, out long count) || count == 0);
            Assert.InRange(count, 0, 999_999_999_999_999);
        }));

    [Fact]
    public void Encoded_metadata_round_trips() =>
        Check.One(Quick, Prop.ForAll(
            ArbMap.Default.GeneratorFor<byte[][]>().Resize(20).ToArbitrary(),
            static values =>
            {
                string field = string.Join(
                    ',', values.Select(static (value, i) => $"k{i} {Convert.ToBase64String(value)}"));
                Assert.Equal(values, TusMetadata.Parse(field).Pairs.Select(static pair => pair.Value));
            }));

    private static void ParsesOrIsRefused<T>(Func<T> parse)
    {
        if (Record.Exception(() => parse()) is { } exception)
        {
            Assert.Equal(TransferError.InvalidRequest, Assert.IsType<TransferException>(exception).Error);
        }
    }

    private static Arbitrary<string> Texts() =>
        Gen.OneOf(
            Gen.Elements(Pieces).ListOf().Select(static pieces => string.Concat(pieces)),
            ArbMap.Default.GeneratorFor<string>().Select(static text => text ?? "")).ToArbitrary();
}
