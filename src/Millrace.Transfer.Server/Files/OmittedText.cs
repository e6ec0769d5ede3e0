namespace Millrace.Transfer.Server;

/// <summary>Says in a listing or an archive that something is missing in it.</summary>
internal static class OmittedText
{
    public static string Of(int omitted) =>
        $"{omitted} {(omitted == 1 ? "entry of this folder is" : "entries of this folder are")} left out: "
        + "names that this server does not take, entries that are neither a file nor a folder, links that lead nowhere or out, and entries that the server may not read.";
}
