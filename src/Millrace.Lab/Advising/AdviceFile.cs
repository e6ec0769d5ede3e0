using System.Text.Json;
using Millrace.Lab.Published;

namespace Millrace.Lab.Advising;

/// <summary>Advice as JSON, for programs.</summary>
internal static class AdviceFile
{
    /// <summary>Advice, and the published figures beside the run's own.</summary>
    public static string ToJson(LabResults results) => JsonSerializer.Serialize(
        new AdviceDocument(Advisor.Advise(results), PublishedBeside.Of(results)), AdviceJson.Readable.AdviceDocument);
}
