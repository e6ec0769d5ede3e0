using System.Globalization;
using System.Text;
using System.Text.Json;
using CsvHelper;
using Nerdbank.Streams;
using nietras.SeparatedValues;

namespace Millrace.Tests.Contract;

/// <summary>Libraries that read pipes or streams read every kind of file pipe, also one that hands out a byte at a time.</summary>
public sealed class LibraryTests : FolderTests
{
    private static readonly Ride[] Rides =
        [.. Enumerable.Range(0, 300).Select(id => new Ride(id, id * 0.25m, $"Zürich, \"{new string('京', id % 40)}\""))];

    public static TheoryData<string> Pipes => [.. Readers.All.OfType<FilePipeFactory>().Select(factory => factory.Name)];

    [Theory, MemberData(nameof(Pipes))]
    public async Task System_Text_Json_reads_the_elements_of_an_array(string name)
    {
        await using FilePipeReader reader = Open(name, JsonSerializer.Serialize(Rides));

        Assert.Equal(Rides, await JsonSerializer.DeserializeAsyncEnumerable<Ride>(reader).ToArrayAsync());
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task System_Text_Json_reads_values_one_after_the_other(string name)
    {
        await using FilePipeReader reader = Open(name, string.Join('\n', Rides.Select(ride => JsonSerializer.Serialize(ride))));

        Assert.Equal(Rides, await JsonSerializer.DeserializeAsyncEnumerable<Ride>(reader, topLevelValues: true).ToArrayAsync());
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task Sep_reads_every_row(string name)
    {
        await using FilePipeReader reader = Open(name, Csv);
        using SepReader csv = await Sep.Reader(options => options with { Unescape = true }).FromAsync(reader.AsStream());
        List<Ride> rides = [];
        await foreach (SepReader.Row row in csv)
        {
            rides.Add(new Ride(row["Id"].Parse<int>(), row["Fare"].Parse<decimal>(), row["Note"].ToString()));
        }

        Assert.Equal(Rides, rides);
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task CsvHelper_reads_every_record(string name)
    {
        await using FilePipeReader reader = Open(name, Csv);
        using var csv = new CsvReader(new StreamReader(reader.AsStream()), CultureInfo.InvariantCulture);

        Assert.Equal(Rides, await csv.GetRecordsAsync<Ride>().ToArrayAsync());
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task Nerdbank_Streams_reads_a_slice_and_leaves_the_rest(string name)
    {
        byte[] content = Encoding.UTF8.GetBytes(Csv);
        await using FilePipeReader reader = Open(name, Csv);

        Assert.Equal(content[..5_000], await AllOfAsync(reader.ReadSlice(5_000)));
        Assert.Equal(5_000, reader.Position);
        Assert.Equal(content[5_000..], await AllOfAsync(reader));
    }

    [Theory, MemberData(nameof(Pipes))]
    public async Task Nerdbank_Streams_pumps_the_stream_of_a_file_pipe(string name)
    {
        await using FilePipeReader reader = Open(name, Csv);
        await using Stream stream = reader.AsStream();

        Assert.Equal(Encoding.UTF8.GetBytes(Csv), await AllOfAsync(stream.UsePipeReader()));
    }

    private static string Csv => "Id,Fare,Note\n"
        + string.Concat(Rides.Select(ride => string.Create(
            CultureInfo.InvariantCulture, $"{ride.Id},{ride.Fare},\"{ride.Note.Replace("\"", "\"\"", StringComparison.Ordinal)}\"\n")));

    private FilePipeReader Open(string name, string content)
    {
        File.WriteAllText(Folder["file"], content);
        return FilePipe.OpenRead(Folder["file"], ((FilePipeFactory)Readers.Get(name)).Options);
    }

    private static async Task<byte[]> AllOfAsync(PipeReader reader)
    {
        using var all = new MemoryStream();
        await reader.CopyToAsync(all);
        await reader.CompleteAsync();
        return all.ToArray();
    }

    private sealed record Ride(int Id, decimal Fare, string Note);
}
