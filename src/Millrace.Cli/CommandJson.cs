using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The JSON of all commands. Field names are part of the commands' contract.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true)]
[JsonSerializable(typeof(CopySummary))]
[JsonSerializable(typeof(ScanReport))]
[JsonSerializable(typeof(TransferLine))]
[JsonSerializable(typeof(FailureLine))]
[JsonSerializable(typeof(ListLine))]
[JsonSerializable(typeof(VerifyLine))]
[JsonSerializable(typeof(RemoveLine))]
[JsonSerializable(typeof(MoveLine))]
[JsonSerializable(typeof(TrashLine))]
[JsonSerializable(typeof(RestoredLine))]
[JsonSerializable(typeof(EmptiedLine))]
[JsonSerializable(typeof(FolderLine))]
[JsonSerializable(typeof(SyncLine))]
[JsonSerializable(typeof(RestoreLine))]
[JsonSerializable(typeof(ScrubLine))]
[JsonSerializable(typeof(DamagedLine))]
[JsonSerializable(typeof(ServeLine))]
[JsonSerializable(typeof(PinLine))]
[JsonSerializable(typeof(ReadyFile))]
[JsonSerializable(typeof(TokenLine))]
[JsonSerializable(typeof(LinkLine))]
[JsonSerializable(typeof(FolderLinkDocument))]
[JsonSerializable(typeof(HealthLine))]
internal sealed partial class CommandJson : JsonSerializerContext
{
    private static CommandJson Line => field ??= Create(indented: false);

    private static CommandJson Indented => field ??= Create(indented: true);

    public static string ToLine<T>(T value) => PrintableText.Escape(JsonSerializer.Serialize(value, typeof(T), Line));

    public static string ToDocument<T>(T value) => PrintableText.Escape(JsonSerializer.Serialize(value, typeof(T), Indented));

    private static CommandJson Create(bool indented) => new(
        new JsonSerializerOptions(Default.Options)
        {
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            WriteIndented = indented,
        });
}
