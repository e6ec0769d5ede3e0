using System.Globalization;

namespace Millrace.Samples.Tests;

public sealed class SumCsvColumnTests : FolderTests
{
    [Fact]
    public async Task A_column_is_added_up_to_the_last_digit()
    {
        const int Rows = 100_000;
        string path = Folder.Write(
            "rides.csv",
            "id,fare,note\n" + string.Concat(Enumerable.Range(0, Rows).Select(row => string.Create(
                CultureInfo.InvariantCulture, $"{row},{row * 0.01m},ride {row}\n"))));

        (int exitCode, string output, string error) = await Sample.RunAsync("SumCsvColumn", path, "fare");

        Assert.True(exitCode == 0, error);
        Assert.Equal(
            Enumerable.Range(0, Rows).Sum(row => row * 0.01m), decimal.Parse(output, CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData("id", 4)]
    [InlineData("fare", 6)]
    public async Task A_byte_order_mark_belongs_to_no_column(string column, int sum)
    {
        string path = Folder.Write("a.csv", "\uFEFFid,fare\n1,2\n3,4\n");

        (int exitCode, string output, string error) = await Sample.RunAsync("SumCsvColumn", path, column);

        Assert.True(exitCode == 0, error);
        Assert.Equal(sum, int.Parse(output, CultureInfo.InvariantCulture));
    }

    [Fact]
    public async Task A_column_that_the_header_does_not_name_is_an_error()
    {
        (int exitCode, _, string error) =
            await Sample.RunAsync("SumCsvColumn", Folder.Write("a.csv", "a,b\n1,2\n"), "c");

        Assert.Equal(1, exitCode);
        Assert.Contains("'c'", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_invalid_number_is_reported_with_its_line()
    {
        (int exitCode, _, string error) =
            await Sample.RunAsync("SumCsvColumn", Folder.Write("a.csv", "a,b\n1,2\n3,4x\n"), "b");

        Assert.Equal(1, exitCode);
        Assert.Contains("'3,4x'", error, StringComparison.Ordinal);
    }
}
