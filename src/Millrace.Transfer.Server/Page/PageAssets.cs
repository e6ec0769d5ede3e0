using System.IO.Compression;
using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server;

/// <summary>
/// The scripts and styles of the page, from web/, in every coding. One hash of all of them is in their paths, so that browsers keep
/// them for good and never mix two versions.
/// </summary>
internal sealed partial class PageAssets
{
    private const int HashCharacters = 16;

    private const string ResourcePrefix = "Millrace.Transfer.Server.Page.";

    /// <remarks>
    /// The same for all servers of a process. They are compressed for the first visitor: a server whose page is never opened does not
    /// spend a fifth of a second of processor time on it when it starts.
    /// </remarks>
    private static readonly Dictionary<string, Asset> All = ReadAll();

    /// <summary>The languages of the page beside English, separated by spaces: those that are built in, and those of the folder <c>texts</c> beside the program.</summary>
    public static string Languages { get; } = string.Join(
        ' ', All.Keys.Where(static name => LanguageFile().IsMatch(name)).Select(static name => name.Split('.')[1]).Order(StringComparer.Ordinal));

    /// <summary>Stands for the content of all.</summary>
    public static string Hash { get; } = HashAll();

    /// <summary>Whether the application serves the page, so that listings may refer to it.</summary>
    public bool IsMapped { get; set; }

    public static Asset? Find(string hash, string name) => hash == Hash ? All.GetValueOrDefault(name) : null;

    private static string HashAll()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (string name in All.Keys.Order(StringComparer.Ordinal))
        {
            hash.AppendData(All[name].Plain);
        }

        return Convert.ToHexStringLower(hash.GetHashAndReset())[..HashCharacters];
    }

    private static Dictionary<string, Asset> ReadAll()
    {
        Dictionary<string, Asset> all = typeof(PageAssets).Assembly.GetManifestResourceNames()
            .Where(static name => name.StartsWith(ResourcePrefix, StringComparison.Ordinal))
            .Select(static name => name[ResourcePrefix.Length..])
            .ToDictionary(static name => name, static name => new Asset(MediaTypeOf(name), Read(name)), StringComparer.Ordinal);
        // Texts that were added to an installation; their names begin the same, so that they also can replace built-in ones.
        string folder = Path.Combine(AppContext.BaseDirectory, "texts");
        foreach (string path in Directory.Exists(folder) ? Directory.GetFiles(folder, "texts.*.json") : [])
        {
            string name = Path.GetFileName(path);
            if (LanguageFile().IsMatch(name))
            {
                all[name] = new Asset(MediaTypeOf(name), File.ReadAllBytes(path));
            }
        }

        return all;
    }

    /// <summary>Texts of a language, which BCP 47 names.</summary>
    [GeneratedRegex("^texts\\.[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*\\.json$", RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture)]
    private static partial Regex LanguageFile();

    private static string MediaTypeOf(string name) => Path.GetExtension(name) switch
    {
        ".js" => "text/javascript; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".json" => "application/json",
        ".svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };

    private static byte[] Read(string name)
    {
        using Stream resource = typeof(PageAssets).Assembly.GetManifestResourceStream(ResourcePrefix + name)!;
        byte[] bytes = new byte[resource.Length];
        resource.ReadExactly(bytes);
        return bytes;
    }

    /// <summary>One file of the page.</summary>
    internal sealed class Asset(string mediaType, byte[] plain)
    {
        private readonly Lazy<byte[]> _brotli = new(() => Compress(plain, static body => new BrotliStream(body, CompressionLevel.SmallestSize)));
        private readonly Lazy<byte[]> _gzip = new(() => Compress(plain, static body => new GZipStream(body, CompressionLevel.SmallestSize)));

        public string MediaType => mediaType;

        public byte[] Plain => plain;

        public byte[] In(ContentCoding coding) => coding == ContentCoding.Brotli ? _brotli.Value
            : coding == ContentCoding.Gzip ? _gzip.Value
            : plain;

        private static byte[] Compress(byte[] bytes, Func<Stream, Stream> begin)
        {
            var body = new MemoryStream();
            using (Stream compressing = begin(body))
            {
                compressing.Write(bytes);
            }

            return body.ToArray();
        }
    }
}
