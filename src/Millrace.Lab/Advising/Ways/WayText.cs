
namespace Millrace.Lab.Advising.Ways;

/// <summary>Says what a way of reading bytes takes, in the words of an API.</summary>
internal static class WayText
{
    /// <summary>For example "ForEachSegmentAsync with Vector&lt;T&gt;".</summary>
    public static string Of(CaseResult item)
    {
        Way way = Way.Of(item.Method);
        bool isFile = item.Parameters.Source == "file";
        string arrival = way.Arrival switch
        {
            Way.AllAtOnce => isFile ? "File.ReadAllBytesAsync" : "GetByteArrayAsync",
            Way.Completion => "a callback that gets all bytes at once",
            Way.Increments => $"ReadAsync into one buffer of {Figures.Buffer(item)}",
            "PipeReader" => isFile ? "FilePipe.OpenRead" : "PipeReader.Create over the response's stream",
            Way.MillraceBytes => way.Walk is Way.Span or Way.Vector ? "ForEachSegmentAsync" : "ReadBytesAsync",
            Way.AsyncBytes => "an async iterator over the stream",
            var other => other,
        };
        return way.Walk switch
        {
            Way.Vector => $"{arrival} with Vector<T>",
            Way.Span => $"{arrival} with a loop over the span",
            Way.For => $"{arrival} with an index",
            Way.ForEach => $"{arrival} with a delegate for each byte",
            Way.Reduce => $"{arrival} with a fold",
            Way.AwaitForEach => $"{arrival} with await foreach",
            _ => arrival,
        };
    }
}
