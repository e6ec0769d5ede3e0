// Adds up one column of a CSV file, with a reader for every processor. Fields are what lies between commas: no quotes.
using System.Buffers.Text;
using System.Text;
using Millrace;

if (args is not [string path, string column])
{
    Console.Error.WriteLine("Usage: SumCsvColumn FILE COLUMN");
    return 1;
}

try
{
    int index = -1;
    long body;
    await using (FilePipeReader reader = FilePipe.OpenRead(path))
    {
        await foreach (ReadOnlyMemory<byte> header in reader.ReadLinesAsync())
        {
            // Excel begins a file with a byte order mark.
            index = Array.IndexOf(Encoding.UTF8.GetString(header.Span).TrimStart('\uFEFF').Split(','), column);
            break;
        }

        // A walk that ends early leaves the reader after the bytes it took.
        body = reader.Position;
    }

    if (index < 0)
    {
        throw new FormatException($"The first line of '{path}' names no column '{column}'.");
    }

    Console.WriteLine(await FilePipe.ScanAsync(
        path,
        degree: 0,
        RecordBoundary.Lines,
        async (reader, cancellationToken) =>
        {
            decimal sum = 0;
            await foreach (ReadOnlyMemory<byte> line in reader.ReadLinesAsync(cancellationToken: cancellationToken))
            {
                sum += Number(line.Span, index);
            }

            return sum;
        },
        static (before, next) => before + next,
        new FileReadOptions { Offset = body }));
    return 0;
}
catch (Exception exception) when (exception is FilePipeException or FormatException)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

static decimal Number(ReadOnlySpan<byte> line, int index)
{
    foreach (Range range in line.Split((byte)','))
    {
        ReadOnlySpan<byte> field = line[range];
        if (index-- == 0 && Utf8Parser.TryParse(field, out decimal number, out int used) && used == field.Length)
        {
            return number;
        }
    }

    throw new FormatException($"That column is not a number in the line '{Encoding.UTF8.GetString(line)}'.");
}
