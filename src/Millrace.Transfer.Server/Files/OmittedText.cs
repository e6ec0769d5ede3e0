namespace Millrace.Transfer.Server;

/// <summary>Says in a listing or an archive that something is missing in it.</summary>
internal static class OmittedText
{
    public static string Of(OmittedEntries omitted) =>
        $"{omitted.Total} {(omitted.Total == 1 ? "entry of this folder is" : "entries of this folder are")} left out: {omitted}.";
}
