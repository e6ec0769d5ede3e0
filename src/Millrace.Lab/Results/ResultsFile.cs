using System.Buffers;
using System.IO.Compression;
using System.Numerics;
using System.Text;
using System.Text.Encodings.Web;

namespace Millrace.Lab.Results;

internal static class ResultsFile
{
    public const string Name = "results.json";

    /// <summary>The same file by gzip, as a repository keeps it.</summary>
    public const string PackedName = Name + ".gz";

    private const int MaxBytes = 512 * 1024 * 1024;
    private const double MaxNumber = 1e100; // Sums and squares of smaller ones are finite.
    private const string SchemaName = "millrace.results/";

    /// <summary>Writes results so that a reader sees the old file or the new one, never a part.</summary>
    public static void Write(string path, LabResults results)
    {
        string temporary = path + ".tmp";
        using (FileStream stream = File.Create(temporary))
        {
            JsonSerializer.Serialize(stream, results, ResultsJson.Readable.LabResults);
        }

        File.Move(temporary, path, overwrite: true);
    }

    /// <summary>The results file of a folder, packed or not; null when there is none.</summary>
    public static string? In(string folder) =>
        ((string[])[Name, PackedName]).Select(name => Path.Combine(folder, name)).FirstOrDefault(File.Exists);

    /// <exception cref="LabException">
    /// It is not a results file, damaged, or of another schema. The message names the file and, where there is one, the field
    /// and the line.
    /// </exception>
    public static LabResults Read(string path)
    {
        byte[] content;
        try
        {
            content = Unpack(File.ReadAllBytes(path));
        }
        catch (Exception exception) when (
            exception is IOException or InvalidDataException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new LabException($"{path} cannot be read: {exception.Message}", exception);
        }

        return Parse(path, content);
    }

    private static byte[] Unpack(byte[] content)
    {
        if (!content.AsSpan().StartsWith((ReadOnlySpan<byte>)[0x1F, 0x8B]))
        {
            return content;
        }

        using var packed = new GZipStream(new MemoryStream(content), CompressionMode.Decompress);
        using var unpacked = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        for (int read; (read = packed.Read(buffer)) > 0;)
        {
            unpacked.Write(buffer.AsSpan(0, read));
            if (unpacked.Length > MaxBytes)
            {
                throw new InvalidDataException($"unpacked, it is longer than {MaxBytes / (1024 * 1024)} MiB, which no run writes.");
            }
        }

        return unpacked.ToArray();
    }

    private static LabResults Parse(string path, byte[] content)
    {
        ReadOnlySpan<byte> json = content.AsSpan();
        json = json.StartsWith("\uFEFF"u8) ? json["\uFEFF"u8.Length..] : json;
        if (json.Trim(" \t\r\n\0"u8).IsEmpty)
        {
            throw new LabException($"{path} is empty: the run that wrote it did not finish. Measure again.");
        }

        try
        {
            CheckSchema(path, json);
            LabResults results = JsonSerializer.Deserialize(json, ResultsJson.Default.LabResults)
                ?? throw new LabException($"{path} holds no results.");
            return (ResultsCheck.FirstProblem(results) ?? FirstHugeNumber(json)) is { } problem
                ? throw new LabException($"{path} is damaged: {problem}.")
                : results;
        }
        catch (JsonException exception)
        {
            string problem = WithoutPlace(exception.Message);

            // NumbersOnOneLine begins with the index, which the serializer's path does not have.
            string index = problem.StartsWith('[') ? problem[..(problem.IndexOf(']', StringComparison.Ordinal) + 1)] : "";
            throw new LabException(
                $"{path} is damaged{Place(exception, index)}: {problem[index.Length..].TrimStart()}", exception);
        }
        catch (Exception exception) when (
            exception is InvalidOperationException or NotSupportedException or FormatException or OverflowException
                or ArgumentException)
        {
            // Text that is no UTF-8, for example.
            throw new LabException($"{path} is damaged: {exception.Message}", exception);
        }
    }

    // Also in fields that nothing computes with: numbers written as JSON again have to be finite.
    private static string? FirstHugeNumber(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.Number && !(Math.Abs(reader.GetDouble()) < MaxNumber))
            {
                return $"it has the number {Encoding.UTF8.GetString(reader.ValueSpan)}";
            }
        }

        return null;
    }

    // Before anything else: fields of another schema may have other types, and the message has to be about the schema.
    private static void CheckSchema(string path, ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        using JsonDocument document = JsonDocument.ParseValue(ref reader);
        JsonElement root = document.RootElement;
        if (root.ValueKind == JsonValueKind.Null)
        {
            throw new LabException($"{path} holds no results.");
        }

        if (root.ValueKind != JsonValueKind.Object || !root.TryGetProperty("schema", out JsonElement field))
        {
            throw new LabException(
                $"{path} is not a results file of the laboratory: it has no field \"schema\". Those are named {Name}.");
        }

        string schema = field.ValueKind == JsonValueKind.String ? field.GetString()! : field.GetRawText();
        if (schema == LabResults.CurrentSchema)
        {
            return;
        }

        throw new LabException(
            $"{path} has the schema \"{schema}\"; this version reads \"{LabResults.CurrentSchema}\". "
            + (schema.StartsWith(SchemaName, StringComparison.Ordinal)
                ? "A newer Millrace wrote it: update millrace."
                : "Another program wrote it."));
    }

    private static string Place(JsonException exception, string index) =>
        (exception.Path is { Length: > 0 } field && field != "$" ? $" at {field}{index}" : "")
        + (exception.LineNumber is { } line ? $", line {line + 1}" : "");

    // The exception's own message ends with the path and a line that it counts from 0.
    private static string WithoutPlace(string message)
    {
        int place = message.IndexOf(" Path: ", StringComparison.Ordinal);
        place = place < 0 ? message.IndexOf(" LineNumber: ", StringComparison.Ordinal) : place;
        return place < 0 ? message : message[..place];
    }
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    WriteIndented = true,
    RespectNullableAnnotations = true,
    Converters = [typeof(NumbersOnOneLine<int>), typeof(NumbersOnOneLine<long>), typeof(NumbersOnOneLine<double>)])]
[JsonSerializable(typeof(LabResults))]
internal sealed partial class ResultsJson : JsonSerializerContext
{
    /// <summary>The same without escapes for letters and signs that people read; it is a file and no web page.</summary>
    public static ResultsJson Readable => field ??= new ResultsJson(
        new JsonSerializerOptions(Default.LabResults.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}

/// <summary>
/// Writes a list of numbers on one line, however the rest is indented: with a line for each, a file of samples is three
/// times as large and no easier to read.
/// </summary>
internal sealed class NumbersOnOneLine<T> : JsonConverter<IReadOnlyList<T>>
    where T : INumber<T>
{
    public override IReadOnlyList<T> Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType != JsonTokenType.StartArray)
        {
            throw new JsonException("A list of numbers begins with [.");
        }

        var numbers = new List<T>();
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            numbers.Add(ReadNumber(ref reader, numbers.Count));
        }

        return numbers;
    }

    public override void Write(Utf8JsonWriter writer, IReadOnlyList<T> value, JsonSerializerOptions options)
    {
        var text = new StringBuilder("[");
        for (int i = 0; i < value.Count; i++)
        {
            text.Append(i == 0 ? "" : ", ").Append(CultureInfo.InvariantCulture, $"{value[i]}");
        }

        writer.WriteRawValue(text.Append(']').ToString());
    }

    private static T ReadNumber(ref Utf8JsonReader reader, int index)
    {
        // A number may lie across two pieces of the file.
        ReadOnlySpan<byte> text = reader.HasValueSequence ? reader.ValueSequence.ToArray() : reader.ValueSpan;
        return reader.TokenType == JsonTokenType.Number && T.TryParse(text, CultureInfo.InvariantCulture, out T? number)
            ? number
            : throw new JsonException($"[{index}] is \"{Encoding.UTF8.GetString(text)}\" and no number of the kind that belongs there.");
    }
}
