// Converts an array in JSON, of objects with the same names, to a CSV file with a header: System.Text.Json reads a file pipe,
// Sep writes to one as a stream.
using System.Text.Json;
using Millrace;
using nietras.SeparatedValues;

if (args is not [string from, string to])
{
    Console.Error.WriteLine("Usage: JsonToCsv FROM TO");
    return 1;
}

try
{
    await using FilePipeReader reader = FilePipe.OpenRead(from);
    await using FilePipeWriter writer = FilePipe.Create(to);
    using (SepWriter csv = Sep.New(',').Writer(options => options with { Escape = true }).To(writer.AsStream(leaveOpen: true)))
    {
        // One element at a time is in memory, however long the file is.
        await foreach (Dictionary<string, JsonElement>? item in
            JsonSerializer.DeserializeAsyncEnumerable<Dictionary<string, JsonElement>>(reader))
        {
            using SepWriter.Row row = csv.NewRow();
            foreach ((string name, JsonElement value) in item ?? throw new FormatException($"An element of '{from}' is null."))
            {
                row[name].Set(value.ToString());
            }
        }
    }

    await writer.CommitAsync();
    return 0;
}
catch (Exception exception) when (exception is FilePipeException or JsonException or FormatException)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}
