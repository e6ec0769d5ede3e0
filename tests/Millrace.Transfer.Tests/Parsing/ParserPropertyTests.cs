using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Tests.Parsing;

/// <summary>Input from servers, users and proxies: any text has an answer, and written text is read again.</summary>
public sealed class ParserPropertyTests
{
    private static readonly Config Quick = Config.QuickThrowOnFailure.WithMaxTest(2000);

    private static readonly string[] Pieces =
    [
        "sha-256", "sha-512", "=", ":", ",", ";", " ", "\t", "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=", "=:", ":,", "\"", "W/",
        "?1", "?0", "?", "0", "9223372036854775807", "9223372036854775808", "-1", "+1", "٣", "\0", "ä", "\ud800", "🙂",
        "a", "b.txt", "/", "%", "%2", "%2e", "%2F", "%00", "%c3%a4", "%ff", "%25", "..", ".", "\\", "con", ".millrace", "~", "#",
    ];

    [Fact]
    public void Any_text_is_handled_as_a_digest_field() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
            Assert.True(DigestField.TryParse(text, out Sha256Digest? digest) || digest is null || text.Contains("sha-256", StringComparison.Ordinal))));

    [Fact]
    public void Formatted_digest_is_parsed_among_others() =>
        Check.One(Quick, Prop.ForAll(
            ArbMap.Default.GeneratorFor<byte[]>().ToArbitrary(),
            Gen.Elements("", "sha-512=:AAAA:, ", "unknown=::;a=b,\t").ToArbitrary(),
            static (content, before) =>
            {
                Sha256Digest digest = Sha256Digest.Compute(content);
                Assert.True(DigestField.TryParse(before + DigestField.Format(digest), out Sha256Digest? read));
                Assert.Equal(digest, read);
                Assert.True(Sha256Digest.TryParse(digest.ToString(), out Sha256Digest again));
                Assert.Equal(digest, again);
                Assert.True(Sha256Digest.TryParse(digest.ToBase64(), out again));
                Assert.Equal(digest, again);
            }));

    [Fact]
    public void Any_text_is_handled_as_a_field() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
        {
            long? number = Fields.Number(text);
            Assert.True(number is null or >= 0);
            Assert.True(!StructuredField.TryParseBoolean(text, out _) || text.TrimStart().StartsWith('?'));
            Assert.True(Fields.Tag(text) is not { } tag || text.Contains(tag.ToString(), StringComparison.Ordinal));
            using var response = new HttpResponseMessage();
            if (response.Headers.TryAddWithoutValidation(TransferHeaders.UploadOffset, text))
            {
                Assert.Equal(Fields.Number(Fields.Text(response, TransferHeaders.UploadOffset)), Fields.Number(response, TransferHeaders.UploadOffset));
            }

            if (response.Headers.TryAddWithoutValidation(TransferHeaders.ReprDigest, text))
            {
                _ = Fields.Sha256(response);
            }

            _ = response.Headers.TryAddWithoutValidation("ETag", text);
            Assert.True(Fields.Tag(response) is not { Value.Length: 0 });
        }));

    [Fact]
    public void Numbers_tags_and_flags_round_trip() =>
        Check.One(Quick, Prop.ForAll(
            ArbMap.Default.GeneratorFor<long>().Select(static number => number & long.MaxValue).ToArbitrary(),
            Gen.Elements("0123456789abcdefXYZ!#$%&'()*+-./:;<=>?@[]^_`{|}~".ToCharArray()).NonEmptyListOf()
                .Select(static characters => string.Concat(characters)).ToArbitrary(),
            static (number, text) =>
            {
                Assert.Equal(number, Fields.Number(string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{number}")));
                Assert.Equal(new EntityTag(text), Fields.Tag(new EntityTag(text).ToString()));
                Assert.True(StructuredField.TryParseBoolean(number % 2 == 0 ? "?1;a=b" : "?0 ", out bool flag));
                Assert.Equal(number % 2 == 0, flag);
            }));

    [Fact]
    public void Any_path_is_parsed_or_refused_and_names_round_trip() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
        {
            bool isName = TransferName.TryParseEncoded(text, out TransferName name, out NameFault fault);
            Assert.Equal(isName, fault == NameFault.None);
            Assert.Equal(isName, !name.IsRoot);
            if (isName)
            {
                Assert.True(TransferName.TryParseEncoded(name.ToEncoded(), out TransferName again, out _));
                Assert.Equal(name, again);
                Assert.Equal(name, TransferName.Parse(name.Value));
            }

            if (TransferName.TryParse(text, out name, out _))
            {
                Assert.True(TransferName.TryParseEncoded(name.ToEncoded(), out TransferName again, out _));
                Assert.Equal(name, again);
                Assert.True(Uri.IsWellFormedUriString(name.ToEncoded(), UriKind.Relative), name.ToEncoded());
            }
        }));

    [Fact]
    public void Any_query_is_accepted_or_refused_and_never_repeated() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
        {
            string query = "mr-signature=secret" + text;
            try
            {
                Assert.DoesNotContain("secret", new TransferLink(Clients.Name("a"), query).ToString(), StringComparison.Ordinal);
            }
            catch (ArgumentException exception)
            {
                Assert.DoesNotContain("secret", exception.Message, StringComparison.Ordinal);
            }
        }));

    private static Arbitrary<string> Texts() =>
        Gen.OneOf(
            Gen.Elements(Pieces).ListOf().Select(static pieces => string.Concat(pieces)),
            ArbMap.Default.GeneratorFor<string>().Select(static text => text ?? "")).ToArbitrary();
}
