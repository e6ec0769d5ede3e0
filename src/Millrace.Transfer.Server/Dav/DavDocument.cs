using System.Text;
using System.Xml;

namespace Millrace.Transfer.Server;

/// <summary>Reads the untrusted XML of a request: no document type, no custom entities, and limits on everything.</summary>
internal static class DavDocument
{
    /// <summary>Bytes of a request's document.</summary>
    /// <remarks>Twice the properties that a file can have.</remarks>
    public const int MaxBytes = 2 * DeadProperties.MaxBytes;

    /// <summary>How deep its elements may be in each other.</summary>
    private const int MaxDepth = 32;

    /// <summary>How many properties it may name.</summary>
    public const int MaxProperties = 200;

    private static readonly XmlReaderSettings Settings = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
        IgnoreComments = true,
        IgnoreProcessingInstructions = true,
        MaxCharactersInDocument = MaxBytes,
        MaxCharactersFromEntities = MaxBytes,
    };

    private static readonly XmlWriterSettings ValueSettings = new()
    {
        OmitXmlDeclaration = true,
        ConformanceLevel = ConformanceLevel.Fragment,
        NewLineHandling = NewLineHandling.Entitize,
    };

    /// <summary>Reads the body of a request.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>.</exception>
    public static async ValueTask<ReadOnlyMemory<byte>> ReadBodyAsync(HttpContext context)
    {
        CallerLimits.LimitDocument(context, MaxBytes);
        PipeReader body = context.Request.BodyReader;
        while (true)
        {
            ReadResult read = await body.ReadAsync(context.RequestAborted);
            if (read.Buffer.Length > MaxBytes)
            {
                body.AdvanceTo(read.Buffer.End);
                throw new TransferException(
                    TransferError.TooLarge, $"The request's document is too large: at most {MaxBytes} bytes are accepted here.");
            }

            if (read.IsCompleted)
            {
                byte[] content = System.Buffers.BuffersExtensions.ToArray(read.Buffer);
                body.AdvanceTo(read.Buffer.End);
                return content;
            }

            body.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    /// <summary>Reads a document.</summary>
    /// <param name="body">Its bytes, in an encoding that they declare.</param>
    /// <param name="root">The element that it must be, of WebDAV.</param>
    /// <param name="read">Reads it, from that element on.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it is not well-formed, or another document.</exception>
    public static T Read<T>(ReadOnlyMemory<byte> body, string root, Func<XmlReader, T> read)
    {
        try
        {
            using var reader = XmlReader.Create(new MemoryStream(body.ToArray(), writable: false), Settings);
            reader.MoveToContent();
            if (!Is(reader, root))
            {
                throw Errors.Invalid($"The body of this request is a document '{root}' of the namespace DAV:.");
            }

            T result = read(reader);
            while (reader.Read())
            {
                // What follows has to be well-formed too.
                ThrowIfTooDeep(reader);
            }

            return result;
        }
        catch (XmlException exception)
        {
            throw Errors.Invalid($"The XML of this request is not accepted: {exception.Message}");
        }
    }

    public static bool Is(XmlReader reader, string name) =>
        reader.NodeType == XmlNodeType.Element
        && string.Equals(reader.LocalName, name, StringComparison.Ordinal)
        && string.Equals(reader.NamespaceURI, DavName.Dav, StringComparison.Ordinal);

    /// <summary>Calls back for every child of the current element; the callback may read the child to its end, and no further.</summary>
    public static void ForEachChild(XmlReader reader, Action<XmlReader> child)
    {
        if (reader.IsEmptyElement)
        {
            return;
        }

        int depth = reader.Depth + 1;
        while (reader.Read() && reader.Depth >= depth)
        {
            ThrowIfTooDeep(reader);
            if (reader.NodeType == XmlNodeType.Element && reader.Depth == depth)
            {
                child(reader);
            }
        }
    }

    /// <summary>Reads the text in the current element, up to the element's end.</summary>
    public static string ReadText(XmlReader reader)
    {
        if (reader.IsEmptyElement)
        {
            return "";
        }

        var text = new StringBuilder();
        int depth = reader.Depth;
        while (reader.Read() && reader.Depth > depth)
        {
            ThrowIfTooDeep(reader);
            if (reader.NodeType is XmlNodeType.Text or XmlNodeType.CDATA or XmlNodeType.SignificantWhitespace or XmlNodeType.Whitespace)
            {
                text.Append(reader.Value);
            }
        }

        return text.ToString();
    }

    /// <summary>Reads the text in an element that <see cref="ReadElement"/> has returned, on one line.</summary>
    public static string ReadText(string element)
    {
        using var reader = XmlReader.Create(new StringReader(element), Settings);
        reader.MoveToContent();
        return string.Join(' ', ReadText(reader).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
    }

    /// <summary>Reads the current element, up to its end, as text that means the same anywhere.</summary>
    public static string ReadElement(XmlReader reader)
    {
        var text = new StringBuilder();
        using (var writer = XmlWriter.Create(text, ValueSettings))
        {
            string language = reader.XmlLang;
            bool isOwn = reader.GetAttribute("xml:lang") is not null;
            int depth = reader.Depth;
            bool isEmpty = reader.IsEmptyElement;
            writer.WriteStartElement(reader.Prefix, reader.LocalName, reader.NamespaceURI);
            writer.WriteAttributes(reader, defattr: false);
            if (language.Length > 0 && !isOwn)
            {
                writer.WriteAttributeString("xml", "lang", null, language);
            }

            while (!isEmpty && reader.Read() && reader.Depth > depth)
            {
                ThrowIfTooDeep(reader);
                WriteNode(reader, writer);
            }

            writer.WriteEndElement();
        }

        return text.ToString();
    }

    private static void WriteNode(XmlReader reader, XmlWriter writer)
    {
        switch (reader.NodeType)
        {
            case XmlNodeType.Element:
                bool isEmpty = reader.IsEmptyElement;
                writer.WriteStartElement(reader.Prefix, reader.LocalName, reader.NamespaceURI);
                writer.WriteAttributes(reader, defattr: false);
                if (isEmpty)
                {
                    writer.WriteEndElement();
                }

                break;
            case XmlNodeType.EndElement:
                writer.WriteFullEndElement();
                break;
            case XmlNodeType.Text or XmlNodeType.CDATA or XmlNodeType.SignificantWhitespace or XmlNodeType.Whitespace:
                writer.WriteString(reader.Value);
                break;
        }
    }

    private static void ThrowIfTooDeep(XmlReader reader)
    {
        if (reader.Depth > MaxDepth)
        {
            throw Errors.Invalid($"The XML of this request has more than {MaxDepth} elements in each other.");
        }
    }
}
