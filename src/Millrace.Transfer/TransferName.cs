using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>
/// The name of a file or folder in a store: a relative path with <c>/</c> between its parts, for example
/// <c>2026/may/trips.csv</c>. A valid name is valid in every protocol, and never leads out of the store's root. Windows cannot have
/// files of all names: see <see cref="IsPortable"/>.
/// </summary>
/// <remarks>
/// Names are compared byte by byte, with regard to case; the file system below may see that differently. An instance is
/// immutable and can be used by any thread.
/// </remarks>
public readonly struct TransferName : IEquatable<TransferName>, IComparable<TransferName>
{
    private readonly string? _value;

    private TransferName(string value) => _value = value;

    /// <summary>The name; empty only for <c>default</c>, which stands for the root.</summary>
    public string Value => _value ?? "";

    /// <summary>Whether this is the root of a store, which is not a file.</summary>
    public bool IsRoot => string.IsNullOrEmpty(_value);

    /// <summary>
    /// Whether Windows can have a file of this name, too: no part has a control character or one of <c>\ : * ? " &lt; &gt; |</c>, ends
    /// with a dot or a space, or is the name of a device. True for the root.
    /// </summary>
    public bool IsPortable => IsRoot || NameRules.IsPortable(_value);

    /// <summary>The last part.</summary>
    public string FileName => Value[(Value.LastIndexOf('/') + 1)..];

    /// <summary>The folder that it is in; the root for a name of one part.</summary>
    public TransferName Folder => Value.LastIndexOf('/') is var slash and > 0 ? new TransferName(Value[..slash]) : default;

    /// <summary>Makes a name of a text.</summary>
    /// <param name="text">The name as it is, not percent-encoded.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: it is invalid; the message has the reason.</exception>
    public static TransferName Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        NameFault fault = NameRules.Check(text);
        return fault == NameFault.None
            ? new TransferName(text)
            : throw new TransferException(TransferError.InvalidName, NameRules.Describe(text, fault), text);
    }

    /// <summary>Parses a name.</summary>
    /// <param name="text">The name as it is, not percent-encoded.</param>
    /// <param name="name">The name; <c>default</c> if the text is not valid.</param>
    public static bool TryParse([NotNullWhen(true)] string? text, out TransferName name) => TryParse(text, out name, out _);

    /// <summary>Parses a name taken from the path of a request.</summary>
    /// <param name="path">The path after the store's prefix, percent-encoded as the client sent it, without a leading slash.</param>
    /// <param name="name">The name; <c>default</c> if the path is not valid.</param>
    public static bool TryParseEncoded([NotNullWhen(true)] string? path, out TransferName name) =>
        TryParseEncoded(path, out name, out _);

    internal static bool TryParse([NotNullWhen(true)] string? text, out TransferName name, out NameFault fault)
    {
        fault = NameRules.Check(text ?? "");
        name = fault == NameFault.None ? new TransferName(text!) : default;
        return fault == NameFault.None;
    }

    internal static bool TryParseEncoded([NotNullWhen(true)] string? path, out TransferName name, out NameFault fault)
    {
        name = default;
        return NameEncoding.TryDecode(path ?? "", out string text, out fault) && TryParse(text, out name, out fault);
    }

    /// <summary>A name below this one.</summary>
    /// <param name="relative">The path below it, for example <c>may/trips.csv</c>.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>.</exception>
    public TransferName Append(string relative) => Parse(IsRoot ? relative : $"{Value}/{relative}");

    /// <summary>The name for the path of a URL: every byte but letters, digits and <c>-._~/</c> percent-encoded.</summary>
    public string ToEncoded() => NameEncoding.Encode(Value);

    /// <summary>Whether this name is <paramref name="folder"/> or below it; every name is below the root.</summary>
    public bool IsIn(TransferName folder) =>
        folder.IsRoot
        || (Value.StartsWith(folder.Value, StringComparison.Ordinal)
            && (Value.Length == folder.Value.Length || Value[folder.Value.Length] == '/'));

    /// <summary>The same name from a folder on that it is in: what follows a slash of a valid name is one.</summary>
    internal TransferName Below(TransferName folder) => folder.IsRoot ? this : new TransferName(Value[(folder.Value.Length + 1)..]);

    /// <summary>The folders that it is in, the innermost one first.</summary>
    internal IEnumerable<TransferName> Folders()
    {
        for (TransferName folder = Folder; !folder.IsRoot; folder = folder.Folder)
        {
            yield return folder;
        }
    }

    /// <inheritdoc/>
    public bool Equals(TransferName other) => string.Equals(Value, other.Value, StringComparison.Ordinal);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is TransferName other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(Value);

    /// <summary>In the order of their UTF-16 code units, which is that of pages of a listing.</summary>
    public int CompareTo(TransferName other) => string.CompareOrdinal(Value, other.Value);

    /// <inheritdoc/>
    public override string ToString() => Value;

    /// <summary>Whether both are the same.</summary>
    public static bool operator ==(TransferName left, TransferName right) => left.Equals(right);

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(TransferName left, TransferName right) => !left.Equals(right);

    /// <summary>By <see cref="CompareTo"/>.</summary>
    public static bool operator <(TransferName left, TransferName right) => left.CompareTo(right) < 0;

    /// <summary>By <see cref="CompareTo"/>.</summary>
    public static bool operator <=(TransferName left, TransferName right) => left.CompareTo(right) <= 0;

    /// <summary>By <see cref="CompareTo"/>.</summary>
    public static bool operator >(TransferName left, TransferName right) => left.CompareTo(right) > 0;

    /// <summary>By <see cref="CompareTo"/>.</summary>
    public static bool operator >=(TransferName left, TransferName right) => left.CompareTo(right) >= 0;
}
