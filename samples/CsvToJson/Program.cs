// Converts a CSV file with a header to an array in JSON: CsvHelper reads a file pipe as a stream, System.Text.Json writes to one.
using System.Globalization;
using System.Text.Json;
using CsvHelper;
using Millrace;

if (args is not [string from, string to])
{
    Console.Error.WriteLine("Usage: CsvToJson FROM TO");
    return 1;
}

try
{
    using var text = new StreamReader(FilePipe.OpenRead(from).AsStream());
    using var csv = new CsvReader(text, CultureInfo.InvariantCulture);
    await using FilePipeWriter writer = FilePipe.Create(to);

    // Records are read as the writer takes them. Without the commit, the old file stays.
    await JsonSerializer.SerializeAsync(writer, RecordsAsync(csv));
    await writer.CommitAsync();
    return 0;
}
catch (Exception exception) when (exception is FilePipeException or CsvHelperException or ArgumentException)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

static async IAsyncEnumerable<Dictionary<string, string?>> RecordsAsync(CsvReader csv)
{
    await csv.ReadAsync();
    csv.ReadHeader();
    while (await csv.ReadAsync())
    {
        // Unlike a dynamic record's, its fields are checked. A name that comes twice is refused, too.
        yield return csv.HeaderRecord!.Select((name, index) => (name, index)).ToDictionary(field => field.name, field => csv.GetField(field.index));
    }
}
