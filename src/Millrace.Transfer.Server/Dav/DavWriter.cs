using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// Writes the XML of a response. Its elements are the same few again and again, which are copied as they are: an XmlWriter takes several times as
/// long for a folder of many names.
/// </summary>
internal sealed class DavWriter(ArrayBufferWriter<byte> output)
{
    private static readonly SearchValues<char> Special = SearchValues.Create(
        [.. Enumerable.Range(0, 0x20).Select(static code => (char)code), '<', '>', '&', '"', '\uFFFE', '\uFFFF']);

    public static ReadOnlySpan<byte> Head => "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"u8;

    public ReadOnlyMemory<byte> Written => output.WrittenMemory;

    public void Clear() => output.ResetWrittenCount();

    /// <summary>Writes XML as it is.</summary>
    public void Raw(ReadOnlySpan<byte> xml) => output.Write(xml);

    /// <inheritdoc cref="Raw(ReadOnlySpan{byte})"/>
    public void Raw(string xml) => Encoding.UTF8.GetBytes(xml, output);

    public void Number(long number)
    {
        Span<byte> digits = output.GetSpan(20);
        Utf8Formatter.TryFormat(number, digits, out int bytes);
        output.Advance(bytes);
    }

    /// <summary>A date as HTTP has it (RFC 9110, section 5.6.7).</summary>
    public void HttpDate(FileTime time)
    {
        Utf8Formatter.TryFormat(time.ToDateTimeOffset(), output.GetSpan(29), out int bytes, 'R');
        output.Advance(bytes);
    }

    /// <summary>A date of RFC 3339, in whole seconds.</summary>
    public void IsoDate(FileTime time)
    {
        time.ToDateTimeOffset().UtcDateTime.TryFormat(
            output.GetSpan(32), out int bytes, "yyyy-MM-dd'T'HH:mm:ss'Z'", System.Globalization.CultureInfo.InvariantCulture);
        output.Advance(bytes);
    }

    /// <summary>A text. Characters that XML cannot have, such as control characters of a name, become U+FFFD.</summary>
    public void Text(ReadOnlySpan<char> text)
    {
        while (!text.IsEmpty)
        {
            int special = text.IndexOfAny(Special);
            ReadOnlySpan<char> plain = special < 0 ? text : text[..special];
            Encoding.UTF8.GetBytes(plain, output);
            if (special < 0)
            {
                return;
            }

            Raw(text[special] switch
            {
                '<' => "&lt;"u8,
                '>' => "&gt;"u8,
                '&' => "&amp;"u8,
                '"' => "&quot;"u8,
                '\t' => "&#9;"u8,
                '\n' => "&#10;"u8,
                '\r' => "&#13;"u8,
                _ => "\uFFFD"u8,
            });
            text = text[(special + 1)..];
        }
    }

    /// <summary>The address of a file or folder.</summary>
    /// <param name="prefix">The path of all files, escaped.</param>
    /// <param name="name">The file or folder.</param>
    /// <param name="isFolder">Whether it gets a slash at the end.</param>
    public void Href(string prefix, TransferName name, bool isFolder)
    {
        Raw("<D:href>"u8);
        Text(prefix);
        Raw("/"u8);
        if (!name.IsRoot)
        {
            // Escaped: nothing in it means anything to XML.
            Raw(name.ToEncoded());
            if (isFolder)
            {
                Raw("/"u8);
            }
        }

        Raw("</D:href>"u8);
    }

    /// <summary>The status of a part of a response.</summary>
    public void Status(int status)
    {
        Raw("<D:status>HTTP/1.1 "u8);
        Number(status);
        Raw(" "u8);
        Raw(Microsoft.AspNetCore.WebUtilities.ReasonPhrases.GetReasonPhrase(status));
        Raw("</D:status>"u8);
    }

    /// <summary>An empty element of any name.</summary>
    public void Empty(DavName name)
    {
        if (name.Namespace == DavName.Dav)
        {
            Raw("<D:"u8);
            Raw(name.Name);
            Raw("/>"u8);
            return;
        }

        Raw("<"u8);
        if (name.Namespace.Length == 0)
        {
            Raw(name.Name);
        }
        else
        {
            Raw("n:"u8);
            Raw(name.Name);
            Raw(" xmlns:n=\""u8);
            Text(name.Namespace);
            Raw("\""u8);
        }

        Raw("/>"u8);
    }
}
