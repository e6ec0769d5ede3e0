using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Server.Tests.Dav;

public sealed class DavParserProperties
{
    private static readonly Config Quick = Config.QuickThrowOnFailure.WithMaxTest(3000);

    private static readonly string[] Pieces =
    [
        "(", ")", "<", ">", "[", "]", "\"x\"", "Not ", "urn:uuid:1", "/files/a", "http://x/", " ", "DAV:no-lock", "\0", "ä", "\ud800", ",",
        "<D:propfind xmlns:D=\"DAV:\">", "</D:propfind>", "<D:prop>", "</D:prop>", "<D:allprop/>", "<D:getetag/>", "<!DOCTYPE x>", "&x;", "&#x0;", "<![CDATA[",
        "]]>", "<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"utf-16\"?>", "<x xmlns=\"\"/>", "xml:lang=\"de\"", "<!--", "-->",
    ];

    [Fact]
    public void Any_field_and_any_document_parses_or_has_a_reason() =>
        Check.One(Quick, Prop.ForAll(Texts(), static text =>
        {
            ParsesOrIsRefused(() => IfHeader.Parse(text));
            if (text.Length > 0)
            {
                ParsesOrIsRefused(() => PropertyQuery.Parse(Encoding.UTF8.GetBytes(text)));
                ParsesOrIsRefused(() => PropertyQuery.Parse(Encoding.Unicode.GetBytes(text)));
            }
        }));

    [Fact]
    public void Element_keeps_its_meaning_when_it_is_read_again() =>
        Check.One(Quick, Prop.ForAll(Values(), static value =>
        {
            string once = Read($"<a xmlns:p=\"urn:p\" xml:lang=\"de\"><p:b p:c=\"{value}\">{value}<d xmlns=\"urn:q\">{value}</d><e/></p:b></a>");
            Assert.Equal(once, Read($"<a>{once}</a>"));
            Assert.Contains("xml:lang=\"de\"", once, StringComparison.Ordinal);
        }));

    private static string Read(string xml) => DavDocument.Read(
        Encoding.UTF8.GetBytes($"<D:x xmlns:D=\"DAV:\">{xml}</D:x>"), "x", static reader =>
        {
            string element = "";
            DavDocument.ForEachChild(reader, child => DavDocument.ForEachChild(child, inner => element = DavDocument.ReadElement(inner)));
            return element;
        });

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

    private static Arbitrary<string> Values() =>
        Gen.Elements("a", " ", "&amp;", "&lt;", "&#13;", "\n", "\t", "&quot;", "ä", "\U0001F389", "]]").ListOf()
            .Select(static pieces => string.Concat(pieces)).ToArbitrary();
}
